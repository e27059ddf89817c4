// Exports and streams: the stream of a table, switched on and off, and followed live with old and new images beside
// each other.

import { call, session } from "../api.js";
import { button, dialog, field, h, messageOf, notify, replace, select } from "../dom.js";
import { clock, count } from "../format.js";
import { same, shown } from "../values.js";

/** @typedef {import("../values.js").Item} Item */

const VIEWS = /** @type {Array<[string, string]>} */ ([["NEW_AND_OLD_IMAGES", "New and old images"], ["NEW_IMAGE", "New image"], ["OLD_IMAGE", "Old image"], ["KEYS_ONLY", "Key attributes only"]]);
const RECORDS_MAX = 300;
const PAUSE_MS = 700;

/**
 * @param {HTMLElement} place
 * @param {any} table
 * @param {AbortSignal} signal
 * @param {() => void} again
 */
export async function drawStream(place, table, signal, again) {
  const spec = table.StreamSpecification;
  const isOn = Boolean(spec?.StreamEnabled);
  const view = VIEWS.find(([key]) => key === spec?.StreamViewType)?.[1] ?? "";
  const card = h(
    "section",
    { class: "card" },
    h(
      "div",
      { class: "head" },
      h("h2", null, "DynamoDB stream details"),
      h("span", { class: `badge ${isOn ? "good" : ""}` }, isOn ? "On" : "Off"),
      session.readOnly ? null : h("div", { class: "buttons" }, isOn ? button("Turn off", () => turn(table.TableName, "", again), { class: "danger" }) : button("Turn on", () => turnOn(table.TableName, again), { class: "primary" })),
    ),
    isOn
      ? h("dl", { class: "facts" }, h("div", null, h("dt", null, "View type"), h("dd", null, view)), h("div", null, h("dt", null, "Latest stream ARN"), h("dd", null, h("code", null, table.LatestStreamArn ?? ""))))
      : h("p", { class: "dim" }, "A stream tells every change of an item, in order, for 24 hours. Turn it on and follow it here."),
  );
  const tail = h("section", { class: "card" });
  replace(place, card, isOn && table.LatestStreamArn ? tail : null);
  if (isOn && table.LatestStreamArn) new Tail(tail, table, signal);
}

/**
 * @param {string} name
 * @param {() => void} again
 */
function turnOn(name, again) {
  dialog("Turn on DynamoDB stream", (close) => {
    const view = select(VIEWS, "NEW_AND_OLD_IMAGES");
    return [
      field("View type", view),
      h("div", { class: "buttons end" }, button("Cancel", close), button("Turn on stream", async () => {
        close();
        await turn(name, view.value, again);
      }, { class: "primary", type: "submit" })),
    ];
  });
}

/**
 * @param {string} name
 * @param {string} view empty to turn it off
 * @param {() => void} again
 */
async function turn(name, view, again) {
  try {
    await call("UpdateTable", { TableName: name, StreamSpecification: view ? { StreamEnabled: true, StreamViewType: view } : { StreamEnabled: false } });
    notify(view ? "The stream is on" : "The stream is off", "good");
  } catch (failure) {
    notify(messageOf(failure), "bad");
  }
  again();
}

class Tail {
  /**
   * @param {HTMLElement} place
   * @param {any} table
   * @param {AbortSignal} signal
   */
  constructor(place, table, signal) {
    this.arn = table.LatestStreamArn;
    this.keys = table.KeySchema.map((/** @type {any} */ one) => one.AttributeName);
    this.signal = signal;
    this.isPaused = false;
    this.count = 0;
    /** @type {Map<string, string | null>} shards and where to read on; null at their end */
    this.shards = new Map();
    this.list = h("div", { class: "events" });
    this.state = h("span", { class: "dim", role: "status" });
    const pause = button("Pause", () => {
      this.isPaused = !this.isPaused;
      pause.textContent = this.isPaused ? "Go on" : "Pause";
    });
    const start = select([["TRIM_HORIZON", "From the beginning (24 hours)"], ["LATEST", "From now on"]], "TRIM_HORIZON", { "aria-label": "Where to begin" });
    start.addEventListener("change", () => this.begin(start.value));
    replace(place, h("div", { class: "head" }, h("h2", null, "Live tail"), this.state, h("div", { class: "buttons" }, start, pause, button("Clear", () => this.clear()))), this.list);
    this.begin("TRIM_HORIZON");
  }

  clear() {
    this.count = 0;
    replace(this.list);
    this.tell();
  }

  tell() {
    this.state.textContent = this.count ? `${count(this.count)} records` : "Waiting for changes…";
  }

  /** @param {string} from */
  async begin(from) {
    this.run?.abort();
    const run = new AbortController();
    this.run = run;
    this.signal.addEventListener("abort", () => run.abort(), { once: true });
    this.shards.clear();
    this.clear();
    let isFirst = true;
    while (!run.signal.aborted) {
      try {
        if (!this.isPaused) {
          // A shard that appears later has only news, so it is read from its beginning.
          await this.look(isFirst ? from : "TRIM_HORIZON", run.signal);
          isFirst = false;
          await this.read(run.signal);
        }
      } catch (failure) {
        if (run.signal.aborted) return;
        this.state.textContent = messageOf(failure);
        this.shards.clear();
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /**
   * Finds shards that are not followed yet.
   * @param {string} from
   * @param {AbortSignal} signal
   */
  async look(from, signal) {
    /** @type {string | undefined} */
    let start;
    do {
      /** @type {any} */
      const answer = (await call("DescribeStream", { StreamArn: this.arn, ...(start ? { ExclusiveStartShardId: start } : {}) }, signal)).StreamDescription;
      for (const shard of answer.Shards ?? []) {
        if (this.shards.has(shard.ShardId)) continue;
        const iterator = await call("GetShardIterator", { StreamArn: this.arn, ShardId: shard.ShardId, ShardIteratorType: from }, signal);
        this.shards.set(shard.ShardId, iterator.ShardIterator);
      }
      start = answer.LastEvaluatedShardId;
    } while (start);
  }

  /** @param {AbortSignal} signal */
  async read(signal) {
    for (const [shard, iterator] of this.shards) {
      if (!iterator) continue;
      const answer = await call("GetRecords", { ShardIterator: iterator, Limit: 200 }, signal);
      this.shards.set(shard, answer.NextShardIterator ?? null);
      for (const record of answer.Records ?? []) this.add(record);
    }
    this.tell();
  }

  /** @param {any} record */
  add(record) {
    this.count += 1;
    const about = record.dynamodb;
    const kind = /** @type {Record<string, string>} */ ({ INSERT: "good", MODIFY: "warn", REMOVE: "bad" })[record.eventName] ?? "";
    const key = this.keys.map((/** @type {string} */ name) => shown(about.Keys[name])).join(" | ");
    const isExpiry = record.userIdentity?.principalId === "dynamodb.amazonaws.com";
    const at = about.ApproximateCreationDateTime * 1000;
    const element = h(
      "details",
      { class: "event", open: this.count <= 3 },
      h("summary", null, h("span", { class: `badge ${kind}` }, record.eventName), h("b", null, key), isExpiry ? h("span", { class: "badge" }, "expired") : null, h("span", { class: "dim" }, clock(at)), h("small", { class: "mono" }, about.SequenceNumber)),
      h("div", { class: "scroll" }, images(about.Keys, about.OldImage, about.NewImage)),
    );
    this.list.prepend(element);
    while (this.list.children.length > RECORDS_MAX) this.list.lastElementChild?.remove();
  }
}

/**
 * Both images, attribute by attribute.
 * @param {Item} keys
 * @param {Item | undefined} old
 * @param {Item | undefined} fresh
 */
function images(keys, old, fresh) {
  if (!old && !fresh) return h("p", { class: "dim" }, "This stream tells keys only.");
  const names = [...new Set([...Object.keys(keys), ...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})])];
  return h(
    "table",
    { class: "diff" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Attribute"), h("th", { scope: "col" }, "Old image"), h("th", { scope: "col" }, "New image"))),
    h("tbody", null, names.map((name) => h("tr", { class: old && fresh && !same(old[name], fresh[name]) ? "changed" : "" }, h("th", { scope: "row" }, name), h("td", null, shown(old?.[name]) || "–"), h("td", null, shown(fresh?.[name]) || "–")))),
  );
}
