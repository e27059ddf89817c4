//! A design to start from: small, complete, and every line of it says what it is for. Knows no files.

/// The text of a new design.
pub fn starter(name: &str) -> String {
    let name: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    let name = if name.len() < 3 { format!("my-{name}") } else { name };
    STARTER.replace("NAME", &name)
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.')
}

const STARTER: &str = r##"# yaml-language-server: $schema=./design.schema.json
design: 1
name: NAME
description: Notes of people, with a list of the shared ones.

# ${Environment} below stands for the name of one of these; what differs is merged over every table.
environments:
  dev: {}
  prod:
    Properties:
      DeletionProtectionEnabled: true
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}

# CloudFormation resources, word for word. AttributeDefinitions are worked out.
tables:
  Data:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    Properties:
      TableName: NAME-${Environment}
      BillingMode: PAY_PER_REQUEST
      KeySchema:
        - {AttributeName: PK, KeyType: HASH}
        - {AttributeName: SK, KeyType: RANGE}
      GlobalSecondaryIndexes:
        - IndexName: SharedNotes
          KeySchema:
            - {AttributeName: GSI1PK, KeyType: HASH}
            - {AttributeName: GSI1SK, KeyType: RANGE}
          Projection: {ProjectionType: ALL}
      TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}

# Kinds of items: how their keys are made, and what their fields may hold.
entities:
  User:
    table: Data
    pk_template: USER#{user_id}
    sk_template: PROFILE
    fields:
      user_id: {type: string, required: true, pattern: "^[a-z0-9]+$"}
      name: {type: string, required: true, minLength: 1}
      email: {type: string, format: email}
  Note:
    table: Data
    pk_template: USER#{user_id}
    sk_template: NOTE#{created_at}
    gsi_mappings:
      # Only shared notes have an entry, so the index stays small.
      - {name: SharedNotes, pk_template: "TOPIC#{topic}", sk_template: "{created_at}", when: shared = true}
    ttl: {field: ttl, from: created_at, after: P365D}
    fields:
      user_id: {type: string, required: true, pattern: "^[a-z0-9]+$"}
      created_at: {type: string, required: true, format: date-time}
      topic: {type: string, required: true, enum: [work, home, travel]}
      text: {type: string, required: true, minLength: 1}
      shared: {type: boolean}

# Plain values; keys, index keys and lifetimes are computed. Dated 2035 so that no TTL removes them while you look.
samples:
  ada: {entity: User, user_id: ada, name: Ada, email: ada@example.com}
  groceries: {entity: Note, user_id: ada, created_at: "2035-03-01T08:00:00Z", topic: home, text: "Milk, bread"}
  trip: {entity: Note, user_id: ada, created_at: "2035-03-02T09:30:00Z", topic: travel, text: Book the train, shared: true}

# What the design must answer, and what the answer is.
access_patterns:
  GetUser:
    description: One person.
    operation: GetItem
    entity: User
    parameters: {user_id: ada}
    expect: [ada]
    rps: 5
  ListNotes:
    description: Somebody's notes, newest first.
    operation: Query
    entity: Note
    parameters: {user_id: ada}
    scan_index_forward: false
    expect: [trip, groceries]
    rps: 2
  ListSharedNotes:
    description: Shared notes about a topic.
    operation: Query
    entity: Note
    index_name: SharedNotes
    parameters: {topic: travel}
    expect: [trip]
    rps: 1
  AddNote:
    description: A note is written once.
    operation: PutItem
    entity: Note
    sample: trip
    condition: attribute_not_exists(PK)
    expect_error: ConditionalCheckFailedException
    per_day: 1000

# How many items there will be, for the cost.
volume:
  User: 1000
  Note: 50000

budget_thresholds: [5, 10, 25]
"##;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::fmt::format;
    use crate::read::read;

    #[test]
    fn the_starter_is_sound_and_laid_out() {
        let text = starter("my notes");
        let (design, found) = read("my-notes.design.yaml", &text);
        assert_eq!(found, Vec::new());
        let design = design.unwrap();
        assert_eq!(design.name, "my-notes");
        let found = check(&design);
        let worse: Vec<String> =
            found.iter().filter(|found| found.code != "E002").map(ToString::to_string).collect();
        assert_eq!(worse, Vec::<String>::new());
        assert_eq!(format(&text).unwrap(), text);
    }
}
