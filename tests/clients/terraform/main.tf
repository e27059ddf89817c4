# A table with an index, time to live, tags and a recovery block; the variable changes all that can change in place.
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

variable "endpoint" {
  type = string
}

variable "changed" {
  type    = bool
  default = false
}

provider "aws" {
  region                      = "us-east-1"
  access_key                  = "story"
  secret_key                  = "story"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  max_retries                 = 1

  endpoints {
    dynamodb = var.endpoint
  }
}

resource "aws_dynamodb_table" "orders" {
  name                        = "tf-orders"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "customer"
  range_key                   = "order_id"
  deletion_protection_enabled = false
  stream_enabled              = true
  stream_view_type            = "NEW_AND_OLD_IMAGES"

  attribute {
    name = "customer"
    type = "S"
  }

  attribute {
    name = "order_id"
    type = "S"
  }

  attribute {
    name = "status"
    type = "S"
  }

  attribute {
    name = "amount"
    type = "N"
  }

  global_secondary_index {
    name               = var.changed ? "by_status_and_amount" : "by_status"
    hash_key           = "status"
    range_key          = "amount"
    projection_type    = "INCLUDE"
    non_key_attributes = ["note"]
  }

  local_secondary_index {
    name            = "by_amount"
    range_key       = "amount"
    projection_type = "ALL"
  }

  ttl {
    attribute_name = "expires"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = false
  }

  server_side_encryption {
    enabled = true
  }

  tags = var.changed ? { team = "cellar" } : { team = "kitchen", stage = "test" }
}

resource "aws_dynamodb_table" "counters" {
  name           = "tf-counters"
  billing_mode   = "PROVISIONED"
  read_capacity  = var.changed ? 7 : 5
  write_capacity = 5
  hash_key       = "id"

  attribute {
    name = "id"
    type = "N"
  }
}

resource "aws_dynamodb_table_item" "first" {
  table_name = aws_dynamodb_table.orders.name
  hash_key   = aws_dynamodb_table.orders.hash_key
  range_key  = aws_dynamodb_table.orders.range_key

  item = jsonencode({
    customer = { S = "c1" }
    order_id = { S = "o1" }
    amount   = { N = var.changed ? "2" : "1" }
  })
}

output "arn" {
  value = aws_dynamodb_table.orders.arn
}
