// Typed access to order-desk: one method for each access pattern.
// Written by `larder design export typescript`. Change the design, not this file.

import { createHash } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, BatchWriteCommand, DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand, TransactGetCommand, TransactWriteCommand, UpdateCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

export type Item = Record<string, any>;

/** Who orders. */
export interface Customer {
  email: string;
  email_hash?: string;
  /** As it is shown. */
  name: string;
  handle?: string;
  labels?: Set<string>;
  vip?: boolean;
  type: "person" | "company";
}

export interface OrderLinesGift {
  text: string;
}

export interface OrderLines {
  article: string;
  count: number;
  gift?: OrderLinesGift;
}

export interface Order {
  customer: string;
  number: number;
  placed: string;
  day?: string;
  rank: number;
  total: number;
  status: "open" | "held" | "done";
  note?: string | null;
  expires?: number;
  lines: (OrderLines)[];
}

export interface Counter {
  counter: string;
  value: number;
}

/** A number with leading zeros and, if asked, a fixed number of decimals. */
function padded(value: any, width: number, decimals?: number): string {
  const plain = decimals === undefined ? String(value) : Number(value).toFixed(decimals);
  const sign = plain.startsWith("-") ? "-" : "";
  return sign + plain.slice(sign.length).padStart(width - sign.length, "0");
}

/** Seconds since 1970 of a date-time, a date or a number of seconds. */
function epoch(value: any): number {
  return typeof value === "string" ? Math.floor(Date.parse(value) / 1000) : Number(value);
}

/** The same moment in UTC with milliseconds. */
function iso(value: any): string {
  return new Date(epoch(value) * 1000).toISOString();
}

/** TTL deletes late: whoever reads must look whether an item's time is over. */
function isFresh(item: Item, attribute: string): boolean {
  return item[attribute] === undefined || item[attribute] > Date.now() / 1000;
}

/** Items or keys by table, at most so many in a request. */
function* grouped(tables: Record<string, string>, pairs: [string, Item][], size: number): Generator<Record<string, Item[]>> {
  for (let start = 0; start < pairs.length; start += size) {
    const group: Record<string, Item[]> = {};
    for (const [table, value] of pairs.slice(start, start + size)) {
      const values = (group[tables[table] as string] ??= []);
      if (!values.some((known) => JSON.stringify(known) === JSON.stringify(value))) values.push(value);
    }
    yield group;
  }
}

function sha256(value: any): string {
  return createHash("sha256").update(String(value)).digest("hex");
}

const markedLetters: Record<string, string> = {
  a: "àáâãäåāăąạảấầẩẫậắằẳẵặǎ",
  c: "çćĉċč",
  d: "đďð",
  e: "èéêëēĕėęěẹẻẽếềểễệ",
  g: "ĝğġģ",
  i: "ìíîïĩīĭįıịỉ",
  n: "ñńņňŋ",
  o: "òóôõöøōŏőơọỏốồổỗộớờởỡợ",
  s: "śŝşšș",
  u: "ùúûüũūŭůűųưụủứừửữự",
  y: "ýÿŷỳỵỷỹ",
  z: "źżž",
};

/** Lower case, letters without their marks, everything else a single hyphen. */
function slug(value: any): string {
  let plain = String(value).toLowerCase().replace(/[\u0300-\u036f]/g, "");
  for (const [letter, marked] of Object.entries(markedLetters)) plain = plain.replace(new RegExp(`[${marked}]`, "g"), letter);
  return plain.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
}

/** The primary key of a Customer. */
export function customerKey({ email }: { email: string }): Item {
  return { PK: `CUSTOMER#${sha256(email)}`, SK: "CUSTOMER" };
}

/** A Customer as it is stored: keys, index keys and computed fields put in. */
export function customerItem(given: Customer): Item {
  const values: Item = { ...given };
  if (values.email !== undefined && values.email_hash === undefined) values.email_hash = sha256(values.email);
  if (values.name !== undefined && values.handle === undefined) values.handle = slug(values.name);
  const item: Item = { ...values, ...{ PK: `CUSTOMER#${sha256(values.email)}`, SK: "CUSTOMER" } };
  delete item.email_hash;
  return item;
}

/** A stored item as a Customer. */
export function customerRead(item: Item): Customer {
  return { ...item } as Customer;
}

/** The primary key of a Order. */
export function orderKey({ customer, placed, number }: { customer: string; placed: string; number: number }): Item {
  return { PK: `CUSTOMER#${customer}`, SK: `ORDER#${placed}#${padded(number, 6)}` };
}

/** A Order as it is stored: keys, index keys and computed fields put in. */
export function orderItem(given: Order): Item {
  const values: Item = { ...given };
  if (values.placed !== undefined && values.day === undefined) values.day = iso(values.placed).slice(0, 10);
  if (values.placed !== undefined && values.expires === undefined) values.expires = epoch(values.placed) + 2592000;
  const item: Item = { ...values, ...{
    PK: `CUSTOMER#${values.customer}`,
    SK: `ORDER#${values.placed}#${padded(values.number, 6)}`,
  } };
  delete item.customer;
  delete item.day;
  Object.assign(item, { PK: `CUSTOMER#${values.customer}`, total: values.total });
  if ((values.status === "open" || values.status === "held")) Object.assign(item, {
    GSI1PK: `OPEN#${iso(values.placed).slice(0, 10)}`,
    GSI1SK: `${padded(values.rank, 5, 1)}#${padded(values.number, 6)}`,
  });
  return item;
}

/** A stored item as a Order. */
export function orderRead(item: Item): Order {
  return { customer: item.PK.slice(9), ...item } as Order;
}

/** The primary key of a Counter. */
export function counterKey({ counter }: { counter: string }): Item {
  return { counter: counter };
}

/** A Counter as it is stored: keys, index keys and computed fields put in. */
export function counterItem(given: Counter): Item {
  const values: Item = { ...given };
  const item: Item = { ...values, ...{ counter: values.counter } };
  return item;
}

/** A stored item as a Counter. */
export function counterRead(item: Item): Counter {
  return { ...item } as Counter;
}

/** The tables by their logical ids. */
export const tableNames = {
  Orders: "order-desk-dev",
  Counters: "order-desk-counters-dev",
};

/** The access patterns of order-desk. */
export class OrderDesk {
  private client: DynamoDBDocumentClient;
  private tables: Record<string, string>;

  /** `tables` renames tables by their logical ids. */
  constructor(client: DynamoDBClient = new DynamoDBClient({}), tables: Partial<typeof tableNames> = {}) {
    this.client = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
    this.tables = { ...tableNames, ...tables };
  }

  /** GetCustomer */
  async getCustomer({ email }: { email: string }): Promise<Customer | undefined> {
    const answer = await this.client.send(new GetCommand({
      TableName: this.tables.Orders,
      Key: { PK: `CUSTOMER#${sha256(email)}`, SK: "CUSTOMER" },
      ConsistentRead: true,
    }));
    return answer.Item ? customerRead(answer.Item) : undefined;
  }

  /** GetOrder */
  async getOrder({ customer, placed, number }: { customer: string; placed: string; number: number }): Promise<Order | undefined> {
    const answer = await this.client.send(new GetCommand({
      TableName: this.tables.Orders,
      Key: { PK: `CUSTOMER#${customer}`, SK: `ORDER#${placed}#${padded(number, 6)}` },
    }));
    return answer.Item && isFresh(answer.Item, "expires") ? orderRead(answer.Item) : undefined;
  }

  /** ListOrders */
  async listOrders({ customer }: { customer: string }): Promise<Order[]> {
    const items: Item[] = [];
    const request: Item = {
      TableName: this.tables.Orders,
      KeyConditionExpression: "#PK = :key0 AND begins_with(#SK, :key1)",
      ExpressionAttributeNames: { "#PK": "PK", "#SK": "SK" },
      ExpressionAttributeValues: { ":key0": `CUSTOMER#${customer}`, ":key1": "ORDER#" },
      ScanIndexForward: false,
    };
    do {
      const page: Item = await this.client.send(new QueryCommand(request as any));
      items.push(...(page.Items ?? []));
      request.ExclusiveStartKey = page.LastEvaluatedKey;
    } while (request.ExclusiveStartKey);
    return items.map(orderRead);
  }

  /** ListBetween */
  async listBetween({ customer, placedFrom, placedTo }: { customer: string; placedFrom: string; placedTo: string }): Promise<Order[]> {
    const items: Item[] = [];
    const request: Item = {
      TableName: this.tables.Orders,
      KeyConditionExpression: "#PK = :key0 AND #SK BETWEEN :key1 AND :key2",
      ExpressionAttributeNames: { "#PK": "PK", "#SK": "SK" },
      ExpressionAttributeValues: {
        ":key0": `CUSTOMER#${customer}`,
        ":key1": `ORDER#${placedFrom}#`,
        ":key2": `ORDER#${placedTo}#\u{10ffff}`,
      },
    };
    do {
      const page: Item = await this.client.send(new QueryCommand(request as any));
      items.push(...(page.Items ?? []));
      request.ExclusiveStartKey = page.LastEvaluatedKey;
    } while (request.ExclusiveStartKey);
    return items.map(orderRead);
  }

  /** ListCheap */
  async listCheap({ customer, total }: { customer: string; total: number }): Promise<Item[]> {
    const items: Item[] = [];
    const request: Item = {
      TableName: this.tables.Orders,
      IndexName: "ByTotal",
      KeyConditionExpression: "#PK = :key0 AND #total < :key1",
      ExpressionAttributeNames: { "#PK": "PK", "#total": "total" },
      ExpressionAttributeValues: { ":key0": `CUSTOMER#${customer}`, ":key1": total },
    };
    do {
      const page: Item = await this.client.send(new QueryCommand(request as any));
      items.push(...(page.Items ?? []));
      request.ExclusiveStartKey = page.LastEvaluatedKey;
    } while (request.ExclusiveStartKey);
    return items;
  }

  /** ListCheapest */
  async listCheapest({ customer }: { customer: string }): Promise<Item[]> {
    const page = await this.client.send(new QueryCommand({
      TableName: this.tables.Orders,
      IndexName: "ByTotal",
      KeyConditionExpression: "#PK = :key0",
      ProjectionExpression: "#total, #lines",
      ExpressionAttributeNames: { "#PK": "PK", "#total": "total", "#lines": "lines" },
      ExpressionAttributeValues: { ":key0": `CUSTOMER#${customer}` },
      Limit: 1,
    }));
    const items: Item[] = page.Items ?? [];
    return items;
  }

  /** ListOpen */
  async listOpen({ day }: { day: string }): Promise<Order[]> {
    const items: Item[] = [];
    const request: Item = {
      TableName: this.tables.Orders,
      IndexName: "Open",
      KeyConditionExpression: "#GSI1PK = :key0",
      ExpressionAttributeNames: { "#GSI1PK": "GSI1PK" },
      ExpressionAttributeValues: { ":key0": `OPEN#${day}` },
    };
    do {
      const page: Item = await this.client.send(new QueryCommand(request as any));
      items.push(...(page.Items ?? []));
      request.ExclusiveStartKey = page.LastEvaluatedKey;
    } while (request.ExclusiveStartKey);
    return items.map(orderRead);
  }

  /** ListFresh */
  async listFresh({ customer, least }: { customer: string; least: number }): Promise<Order[]> {
    const items: Item[] = [];
    const request: Item = {
      TableName: this.tables.Orders,
      KeyConditionExpression: "#PK = :key0 AND begins_with(#SK, :key1)",
      FilterExpression: "#expires > :now AND #total >= :least AND #status <> :constant2",
      ExpressionAttributeNames: { "#PK": "PK", "#SK": "SK", "#expires": "expires", "#total": "total", "#status": "status" },
      ExpressionAttributeValues: {
        ":key0": `CUSTOMER#${customer}`,
        ":key1": "ORDER#",
        ":constant2": "done",
        ":now": Math.floor(Date.now() / 1000),
        ":least": least,
      },
    };
    do {
      const page: Item = await this.client.send(new QueryCommand(request as any));
      items.push(...(page.Items ?? []));
      request.ExclusiveStartKey = page.LastEvaluatedKey;
    } while (request.ExclusiveStartKey);
    return items.map(orderRead);
  }

  /** FindLarge */
  async findLarge({ least }: { least: number }): Promise<Item[]> {
    const items: Item[] = [];
    const request: Item = {
      TableName: this.tables.Orders,
      FilterExpression: "#total > :least",
      ExpressionAttributeNames: { "#total": "total" },
      ExpressionAttributeValues: { ":least": least },
    };
    do {
      const page: Item = await this.client.send(new ScanCommand(request as any));
      items.push(...(page.Items ?? []));
      request.ExclusiveStartKey = page.LastEvaluatedKey;
    } while (request.ExclusiveStartKey);
    return items;
  }

  /** The open orders of a day, each read whole. */
  async getOpenOrders({ day, customer, number }: { day: string; customer: string; number: number }): Promise<Item[]> {
    let found: Item[] = [];
    {
      const items: Item[] = [];
      const request: Item = {
        TableName: this.tables.Orders,
        IndexName: "Open",
        KeyConditionExpression: "#GSI1PK = :key0",
        ExpressionAttributeNames: { "#GSI1PK": "GSI1PK" },
        ExpressionAttributeValues: { ":key0": `OPEN#${day}` },
      };
      do {
        const page: Item = await this.client.send(new QueryCommand(request as any));
        items.push(...(page.Items ?? []));
        request.ExclusiveStartKey = page.LastEvaluatedKey;
      } while (request.ExclusiveStartKey);
      found = items;
    }
    if (found.length === 0) return [];
    const items: Item[] = [];
    for (const group of grouped(this.tables, found.map((one): [string, Item] => ["Orders", { PK: `CUSTOMER#${customer}`, SK: `ORDER#${one.placed}#${padded(number, 6)}` }]), 100)) {
      let pending: Item = Object.fromEntries(Object.entries(group).map(([table, keys]) => [table, { Keys: keys }]));
      while (Object.keys(pending).length > 0) {
        const answer: Item = await this.client.send(new BatchGetCommand({ RequestItems: pending }));
        for (const some of Object.values(answer.Responses ?? {})) items.push(...(some as Item[]));
        pending = answer.UnprocessedKeys ?? {};
      }
    }
    return items;
  }

  /** GetBoth */
  async getBoth({ keys }: { keys: [string, Item][] }): Promise<Item[]> {
    const answer = await this.client.send(new TransactGetCommand({
      TransactItems: keys.map(([table, Key]) => ({ Get: { TableName: this.tables[table] as string, Key } })) as any,
    }));
    const items: Item[] = (answer.Responses ?? []).flatMap((found) => (found.Item ? [found.Item] : []));
    return items;
  }

  /** GetSome */
  async getSome({ keys }: { keys: [string, Item][] }): Promise<Item[]> {
    const items: Item[] = [];
    for (const group of grouped(this.tables, keys, 100)) {
      let pending: Item = Object.fromEntries(Object.entries(group).map(([table, keys]) => [table, { Keys: keys }]));
      while (Object.keys(pending).length > 0) {
        const answer: Item = await this.client.send(new BatchGetCommand({ RequestItems: pending }));
        for (const some of Object.values(answer.Responses ?? {})) items.push(...(some as Item[]));
        pending = answer.UnprocessedKeys ?? {};
      }
    }
    return items;
  }

  /** PutOrder */
  async putOrder({ order }: { order: Order }): Promise<void> {
    await this.client.send(new PutCommand({
      TableName: this.tables.Orders,
      Item: orderItem(order),
      ConditionExpression: "attribute_not_exists(#PK)",
      ExpressionAttributeNames: { "#PK": "PK" },
    }));
  }

  /** PutOrders */
  async putOrders({ items }: { items: [string, Item][] }): Promise<void> {
    for (const group of grouped(this.tables, items, 25)) {
      let pending: Item = Object.fromEntries(
        Object.entries(group).map(([table, values]) => [table, values.map((value) => ({ PutRequest: { Item: value } }))]),
      );
      while (Object.keys(pending).length > 0) {
        const answer: Item = await this.client.send(new BatchWriteCommand({ RequestItems: pending }));
        pending = answer.UnprocessedItems ?? {};
      }
    }
  }

  /** FinishOrder */
  async finishOrder({ customer, placed, number }: { customer: string; placed: string; number: number }): Promise<void> {
    await this.client.send(new UpdateCommand({
      TableName: this.tables.Orders,
      Key: { PK: `CUSTOMER#${customer}`, SK: `ORDER#${placed}#${padded(number, 6)}` },
      ConditionExpression: "#status IN (:constant0, :constant1)",
      UpdateExpression: "SET #status = :constant2 REMOVE #GSI1PK, #GSI1SK",
      ExpressionAttributeNames: { "#status": "status", "#GSI1PK": "GSI1PK", "#GSI1SK": "GSI1SK" },
      ExpressionAttributeValues: { ":constant0": "open", ":constant1": "held", ":constant2": "done" },
    }));
  }

  /** NextNumber */
  async nextNumber({ counter }: { counter: string }): Promise<void> {
    await this.client.send(new UpdateCommand({
      TableName: this.tables.Counters,
      Key: { counter: counter },
      UpdateExpression: "SET #value = if_not_exists(#value, :constant0) + :constant1",
      ExpressionAttributeNames: { "#value": "value" },
      ExpressionAttributeValues: { ":constant0": 0, ":constant1": 1 },
    }));
  }

  /** RemoveOrder */
  async removeOrder({ customer, placed, number }: { customer: string; placed: string; number: number }): Promise<void> {
    await this.client.send(new DeleteCommand({
      TableName: this.tables.Orders,
      Key: { PK: `CUSTOMER#${customer}`, SK: `ORDER#${placed}#${padded(number, 6)}` },
    }));
  }

  /** PlaceOrder */
  async placeOrder({ email, order, counter, by }: { email: string; order: Order; counter: string; by: number }): Promise<void> {
    await this.client.send(new TransactWriteCommand({
      TransactItems: [
        { ConditionCheck: {
          TableName: this.tables.Orders,
          Key: { PK: `CUSTOMER#${sha256(email)}`, SK: "CUSTOMER" },
          ConditionExpression: "attribute_exists(#PK)",
          ExpressionAttributeNames: { "#PK": "PK" },
        } },
        { Put: {
          TableName: this.tables.Orders,
          Item: orderItem(order),
        } },
        { Update: {
          TableName: this.tables.Counters,
          Key: { counter: counter },
          UpdateExpression: "ADD #value :by",
          ExpressionAttributeNames: { "#value": "value" },
          ExpressionAttributeValues: { ":by": by },
        } },
      ] as any,
    }));
  }
}

/** The samples of the design by name: the table's logical id and the item as it is stored. */
export const samples = (): Record<string, [string, Item]> => ({
  ada: ["Orders", customerItem({ email: "ada@example.com", name: "Åda “Q” O'Hara", labels: new Set(["new", "loyal"]), type: "person", vip: true })],
  first: ["Orders", orderItem({ customer: "c1", number: 7, placed: "2035-01-20T08:00:00Z", rank: 2.5, total: 19.95, status: "open", note: null, lines: [{ article: "tea", count: 2, gift: { text: "for\nyou" } }] })],
  second: ["Orders", orderItem({ customer: "c1", number: 8, placed: "2035-01-21T09:00:00Z", rank: 10, total: 5, status: "done", lines: [] })],
  third: ["Orders", orderItem({ customer: "c1", number: 9, placed: "2035-01-21T10:00:00Z", rank: 1, total: 100, status: "held", lines: [] })],
  count: ["Counters", counterItem({ counter: "orders", value: 41 })],
});

/**
 * Every access pattern as the design calls it: the call, and what the design expects of it, which is a list of
 * primary keys, a number of items, the name of an error, or null if it says nothing.
 */
export const examples: Record<string, [(store: OrderDesk) => Promise<any>, any]> = {
  GetCustomer: [
    (store) => store.getCustomer({ email: "ada@example.com" }),
    [{ PK: "CUSTOMER#b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72", SK: "CUSTOMER" }],
  ],
  GetOrder: [
    (store) => store.getOrder({ customer: "c1", placed: "2035-01-20T08:00:00Z", number: 7 }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-20T08:00:00Z#000007" }],
  ],
  ListOrders: [
    (store) => store.listOrders({ customer: "c1" }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T10:00:00Z#000009" }, { PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T09:00:00Z#000008" }, { PK: "CUSTOMER#c1", SK: "ORDER#2035-01-20T08:00:00Z#000007" }],
  ],
  ListBetween: [
    (store) => store.listBetween({ customer: "c1", placedFrom: "2035-01-20T00:00:00Z", placedTo: "2035-01-21T09:30:00Z" }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-20T08:00:00Z#000007" }, { PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T09:00:00Z#000008" }],
  ],
  ListCheap: [
    (store) => store.listCheap({ customer: "c1", total: 20 }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T09:00:00Z#000008" }, { PK: "CUSTOMER#c1", SK: "ORDER#2035-01-20T08:00:00Z#000007" }],
  ],
  ListCheapest: [
    (store) => store.listCheapest({ customer: "c1" }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T09:00:00Z#000008" }],
  ],
  ListOpen: [
    (store) => store.listOpen({ day: "2035-01-21" }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T10:00:00Z#000009" }],
  ],
  ListFresh: [
    (store) => store.listFresh({ customer: "c1", least: 10 }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-20T08:00:00Z#000007" }, { PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T10:00:00Z#000009" }],
  ],
  FindLarge: [
    (store) => store.findLarge({ least: 50 }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T10:00:00Z#000009" }],
  ],
  GetOpenOrders: [
    (store) => store.getOpenOrders({ day: "2035-01-20", customer: "c1", number: 7 }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-20T08:00:00Z#000007" }],
  ],
  GetBoth: [
    (store) => store.getBoth({ keys: [["Orders", orderKey({ customer: "c1", placed: "2035-01-20T08:00:00Z", number: 7 })], ["Orders", orderKey({ customer: "c1", placed: "2035-01-21T09:00:00Z", number: 8 })]] }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-20T08:00:00Z#000007" }, { PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T09:00:00Z#000008" }],
  ],
  GetSome: [
    (store) => store.getSome({ keys: [["Orders", orderKey({ customer: "c1", placed: "2035-01-20T08:00:00Z", number: 7 })], ["Orders", orderKey({ customer: "c1", placed: "2035-01-21T10:00:00Z", number: 9 })]] }),
    [{ PK: "CUSTOMER#c1", SK: "ORDER#2035-01-20T08:00:00Z#000007" }, { PK: "CUSTOMER#c1", SK: "ORDER#2035-01-21T10:00:00Z#000009" }],
  ],
  PutOrder: [
    (store) => store.putOrder({ order: { customer: "c1", number: 7, placed: "2035-01-20T08:00:00Z", rank: 2.5, total: 19.95, status: "open", note: null, lines: [{ article: "tea", count: 2, gift: { text: "for\nyou" } }] } }),
    "ConditionalCheckFailedException",
  ],
  PutOrders: [
    (store) => store.putOrders({ items: [["Orders", orderItem({ customer: "c1", number: 7, placed: "2035-01-20T08:00:00Z", rank: 2.5, total: 19.95, status: "open", note: null, lines: [{ article: "tea", count: 2, gift: { text: "for\nyou" } }] })], ["Orders", orderItem({ customer: "c1", number: 8, placed: "2035-01-21T09:00:00Z", rank: 10, total: 5, status: "done", lines: [] })]] }),
    null,
  ],
  FinishOrder: [
    (store) => store.finishOrder({ customer: "c1", placed: "2035-01-21T10:00:00Z", number: 9 }),
    null,
  ],
  NextNumber: [
    (store) => store.nextNumber({ counter: "orders" }),
    null,
  ],
  RemoveOrder: [
    (store) => store.removeOrder({ customer: "c1", placed: "2035-01-21T09:00:00Z", number: 8 }),
    null,
  ],
  PlaceOrder: [
    (store) => store.placeOrder({ email: "ada@example.com", order: { customer: "c1", number: 7, placed: "2035-01-20T08:00:00Z", rank: 2.5, total: 19.95, status: "open", note: null, lines: [{ article: "tea", count: 2, gift: { text: "for\nyou" } }] }, counter: "orders", by: 1 }),
    null,
  ],
};
