//! Accounts between which money moves in transactions: whoever looks at all of them at once finds the same sum.

use serde_json::{Value as Json, json};

use super::client::{Client, End, as_number, number, unusual};

pub(crate) const TABLE: &str = "bank";
const ACCOUNTS: u64 = 6;
const FIRST_BALANCE: u64 = 100;

/// How the table is made.
pub(crate) fn table() -> Json {
    json!({
        "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "bank", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by_bank", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "bank", "KeyType": "HASH"}]}]})
}

/// The accounts as they are opened.
pub(crate) fn opening() -> Json {
    let puts: Vec<Json> = (0..ACCOUNTS)
        .map(|account| {
            let item =
                json!({"pk": {"S": account.to_string()}, "bank": {"S": "b"}, "n": number(FIRST_BALANCE)});
            json!({"Put": {"TableName": TABLE, "Item": item}})
        })
        .collect();
    json!({"TransactItems": puts})
}

/// Moves money, or looks at all of it.
pub(crate) fn ask(client: &mut Client<'_>) -> Result<(), End> {
    if client.chance.one_in(2) { transfer(client) } else { look(client) }
}

fn transfer(client: &mut Client<'_>) -> Result<(), End> {
    let amount = client.chance.between(1, 40);
    let accounts = client.chance.distinct(2, ACCOUNTS);
    let [from, to] = accounts.as_slice() else { return Ok(()) };
    let values = json!({":n": number(amount)});
    let request = json!({"TransactItems": [
        {"Update": {"TableName": TABLE, "Key": {"pk": {"S": from.to_string()}}, "UpdateExpression": "SET n = n - :n",
            "ConditionExpression": "n >= :n", "ExpressionAttributeValues": values}},
        {"Update": {"TableName": TABLE, "Key": {"pk": {"S": to.to_string()}}, "UpdateExpression": "SET n = n + :n",
            "ExpressionAttributeValues": values}}]});
    let heard = client.ask("TransactWriteItems", &request)?;
    match &heard.answer {
        None => Err(End::Gone),
        Some(answer) if answer.status == 200 || answer.class() == "TransactionCanceledException" => Ok(()),
        Some(answer) => Err(unusual("TransactWriteItems", &request, answer)),
    }
}

/// Looks at all accounts by a transaction or by one page of the index.
pub(crate) fn look(client: &mut Client<'_>) -> Result<(), End> {
    let items: Vec<Json> = if client.chance.one_in(2) {
        let gets: Vec<Json> = (0..ACCOUNTS)
            .map(|account| json!({"Get": {"TableName": TABLE, "Key": {"pk": {"S": account.to_string()}}}}))
            .collect();
        let (_, body) = client.read("TransactGetItems", &json!({"TransactItems": gets}))?;
        let found = body.get("Responses").and_then(Json::as_array).cloned().unwrap_or_default();
        found.into_iter().filter_map(|one| one.get("Item").cloned()).collect()
    } else {
        let request = json!({"TableName": TABLE, "IndexName": "by_bank", "KeyConditionExpression": "bank = :b",
            "ExpressionAttributeValues": {":b": {"S": "b"}}});
        let (_, body) = client.read("Query", &request)?;
        body.get("Items").and_then(Json::as_array).cloned().unwrap_or_default()
    };
    let sum: u64 = items.iter().filter_map(|item| as_number(item.get("n")?)).sum();
    if sum != ACCOUNTS * FIRST_BALANCE || items.len() as u64 != ACCOUNTS {
        return Err(End::Wrong(format!("the accounts hold {sum}: {items:?}")));
    }
    client.seen.sums += 1;
    Ok(())
}
