# order-desk, environment dev: written by `larder design export`.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

resource "aws_dynamodb_table" "orders" {
  name             = "order-desk-dev"
  billing_mode     = "PAY_PER_REQUEST"
  hash_key         = "PK"
  range_key        = "SK"
  stream_enabled   = true
  stream_view_type = "NEW_IMAGE"
  tags = {
    Project = "order-desk"
  }

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "SK"
    type = "S"
  }

  attribute {
    name = "total"
    type = "N"
  }

  attribute {
    name = "GSI1PK"
    type = "S"
  }

  attribute {
    name = "GSI1SK"
    type = "S"
  }

  local_secondary_index {
    name               = "ByTotal"
    hash_key           = "PK"
    range_key          = "total"
    projection_type    = "INCLUDE"
    non_key_attributes = ["status"]
  }

  global_secondary_index {
    name            = "Open"
    hash_key        = "GSI1PK"
    range_key       = "GSI1SK"
    projection_type = "ALL"
  }

  ttl {
    attribute_name = "expires"
    enabled        = true
  }
}

resource "aws_dynamodb_table" "counters" {
  name           = "order-desk-counters-dev"
  billing_mode   = "PROVISIONED"
  hash_key       = "counter"
  read_capacity  = 5
  write_capacity = 5

  attribute {
    name = "counter"
    type = "S"
  }
}

resource "aws_cloudwatch_metric_alarm" "throttled" {
  alarm_name          = "order-desk-dev-Throttled"
  alarm_description   = "A write was throttled."
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  dimensions = {
    TableName = "order-desk-dev"
  }
}
