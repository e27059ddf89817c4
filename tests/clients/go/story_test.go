// Package story runs the AWS SDK for Go against a Larder that LARDER_ENDPOINT names: every operation once or more.
// The SDK checks the CRC32 of every answer, so each call here is also a check of x-amz-crc32.
package story

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sort"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

type item = map[string]types.AttributeValue

var (
	ctx    = context.Background()
	orders = aws.String("orders")
)

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
func number(value int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(value)}
}
func order(customer, id string) item { return item{"customer": text(customer), "order_id": text(id)} }

func with(base item, more item) item {
	made := item{}
	for _, part := range []item{base, more} {
		for name, value := range part {
			made[name] = value
		}
	}
	return made
}

func newClient() *dynamodb.Client {
	endpoint := os.Getenv("LARDER_ENDPOINT")
	if endpoint == "" {
		endpoint = "http://127.0.0.1:8000"
	}
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "story", SecretAccessKey: "story"}, nil
	})
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(endpoint), Region: "us-east-1", Credentials: credentials, RetryMaxAttempts: 1,
	})
}

func must[T any](t *testing.T) func(T, error) T {
	return func(answer T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

func same(t *testing.T, what string, got, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(got, wanted) {
		t.Fatalf("%s: got %v, wanted %v", what, got, wanted)
	}
}

// refused checks the code of an error and hands it on.
func refused(t *testing.T, err error, code string) error {
	t.Helper()
	var failure smithy.APIError
	if !errors.As(err, &failure) || failure.ErrorCode() != code {
		t.Fatalf("wanted %s, got %v", code, err)
	}
	return err
}

func keys(names ...string) []types.KeySchemaElement {
	var made []types.KeySchemaElement
	for place, name := range names {
		kind := types.KeyTypeHash
		if place > 0 {
			kind = types.KeyTypeRange
		}
		made = append(made, types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kind})
	}
	return made
}

func attribute(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind}
}

func strings(names ...string) []types.AttributeDefinition {
	var made []types.AttributeDefinition
	for _, name := range names {
		made = append(made, attribute(name, types.ScalarAttributeTypeS))
	}
	return made
}

func global(name string, key []types.KeySchemaElement, kind types.ProjectionType) types.GlobalSecondaryIndex {
	return types.GlobalSecondaryIndex{
		IndexName: aws.String(name), KeySchema: key, Projection: &types.Projection{ProjectionType: kind},
	}
}

func described(t *testing.T, client *dynamodb.Client, name *string) *types.TableDescription {
	t.Helper()
	return must[*dynamodb.DescribeTableOutput](t)(client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: name})).Table
}

// until polls the table until it looks as wanted.
func until(t *testing.T, client *dynamodb.Client, name *string, wanted func(*types.TableDescription) bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !wanted(described(t, client, name)); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s is not as wanted after two minutes", *name)
		}
	}
}

func TestStory(t *testing.T) {
	client := newClient()
	create(t, client)
	for _, chapter := range []struct {
		name string
		tell func(*testing.T, *dynamodb.Client)
	}{
		{"tables", tables}, {"items", items}, {"conditions", conditions}, {"reading", reading},
		{"transactions", transactions}, {"indexes", indexes}, {"settings", settings}, {"errors", failures},
	} {
		t.Run(chapter.name, func(t *testing.T) { chapter.tell(t, client) })
	}
	remove(t, client)
}

func create(t *testing.T, client *dynamodb.Client) {
	must[*dynamodb.CreateTableOutput](t)(client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            orders,
		AttributeDefinitions: append(strings("customer", "order_id", "status", "day"), attribute("amount", types.ScalarAttributeTypeN)),
		KeySchema:            keys("customer", "order_id"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			global("by_status", keys("status", "amount"), types.ProjectionTypeAll),
			global("by_day", keys("day"), types.ProjectionTypeKeysOnly),
		},
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{{
			IndexName: aws.String("by_amount"), KeySchema: keys("customer", "amount"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
		BillingMode:               types.BillingModePayPerRequest,
		DeletionProtectionEnabled: aws.Bool(true),
		SSESpecification:          &types.SSESpecification{Enabled: aws.Bool(true)},
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeOldImage},
		Tags: []types.Tag{{Key: aws.String("team"), Value: aws.String("kitchen")}},
	}))
	waiter := dynamodb.NewTableExistsWaiter(client, func(options *dynamodb.TableExistsWaiterOptions) {
		options.MinDelay, options.MaxDelay = time.Second, time.Second
	})
	if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: orders}, time.Minute); err != nil {
		t.Fatal(err)
	}
}

func tables(t *testing.T, client *dynamodb.Client) {
	table := described(t, client, orders)
	same(t, "status", table.TableStatus, types.TableStatusActive)
	same(t, "billing", table.BillingModeSummary.BillingMode, types.BillingModePayPerRequest)
	same(t, "indexes", len(table.GlobalSecondaryIndexes), 2)
	same(t, "protection", *table.DeletionProtectionEnabled, true)
	names := []string{}
	for pages := dynamodb.NewListTablesPaginator(client, &dynamodb.ListTablesInput{}); pages.HasMorePages(); {
		names = append(names, must[*dynamodb.ListTablesOutput](t)(pages.NextPage(ctx)).TableNames...)
	}
	same(t, "names", names, []string{"orders"})
}

func items(t *testing.T, client *dynamodb.Client) {
	every := with(order("types", "1"), item{
		"number": &types.AttributeValueMemberN{Value: "12345678901234567890123456789012345678"},
		"bytes":  &types.AttributeValueMemberB{Value: []byte{0, 255}}, "yes": &types.AttributeValueMemberBOOL{Value: true},
		"none": &types.AttributeValueMemberNULL{Value: true}, "list": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("ü")}},
		"map": &types.AttributeValueMemberM{Value: item{"k": number(1)}}, "ss": &types.AttributeValueMemberSS{Value: []string{"a"}},
		"ns": &types.AttributeValueMemberNS{Value: []string{"1"}}, "bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}}},
	})
	must[*dynamodb.PutItemOutput](t)(client.PutItem(ctx, &dynamodb.PutItemInput{TableName: orders, Item: every}))
	found := must[*dynamodb.GetItemOutput](t)(client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: orders, Key: order("types", "1"), ConsistentRead: aws.Bool(true),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}))
	same(t, "item", found.Item, every)
	same(t, "cost", *found.ConsumedCapacity.CapacityUnits, 1.0)
	var plain struct {
		Yes  bool           `dynamodbav:"yes"`
		List []string       `dynamodbav:"list"`
		Map  map[string]int `dynamodbav:"map"`
	}
	if err := attributevalue.UnmarshalMap(found.Item, &plain); err != nil || !plain.Yes || plain.Map["k"] != 1 {
		t.Fatalf("unmarshalled %v, %v", plain, err)
	}
	updated := must[*dynamodb.UpdateItemOutput](t)(client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: orders, Key: order("types", "1"), ReturnValues: types.ReturnValueUpdatedNew,
		UpdateExpression:          aws.String("SET #m.k = #m.k + :one REMOVE bytes ADD hits :one DELETE ss :a"),
		ExpressionAttributeNames:  map[string]string{"#m": "map"},
		ExpressionAttributeValues: item{":one": number(1), ":a": &types.AttributeValueMemberSS{Value: []string{"a"}}}}))
	same(t, "hits", updated.Attributes["hits"], number(1))
	gone := must[*dynamodb.DeleteItemOutput](t)(client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: orders, Key: order("types", "1"), ReturnValues: types.ReturnValueAllOld,
		ReturnItemCollectionMetrics: types.ReturnItemCollectionMetricsSize}))
	same(t, "old map", gone.Attributes["map"], &types.AttributeValueMemberM{Value: item{"k": number(2)}})
	same(t, "collection", gone.ItemCollectionMetrics.ItemCollectionKey, item{"customer": text("types")})
}

func conditions(t *testing.T, client *dynamodb.Client) {
	held := with(order("held", "1"), item{"n": number(1)})
	must[*dynamodb.PutItemOutput](t)(client.PutItem(ctx, &dynamodb.PutItemInput{TableName: orders, Item: held}))
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: orders, Item: held, ConditionExpression: aws.String("attribute_not_exists(customer)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
	var failure *types.ConditionalCheckFailedException
	if !errors.As(refused(t, err, "ConditionalCheckFailedException"), &failure) {
		t.Fatal(err)
	}
	same(t, "returned item", failure.Item, held)
}

func ids(found []item) []string {
	made := []string{}
	for _, one := range found {
		made = append(made, one["order_id"].(*types.AttributeValueMemberS).Value)
	}
	return made
}

func reading(t *testing.T, client *dynamodb.Client) {
	writes := []types.WriteRequest{}
	for place := 10; place < 35; place++ {
		made := with(order("r", fmt.Sprintf("o%d", place)), item{"amount": number(-place), "day": text("d")})
		if place%5 == 0 {
			made["status"] = text("fifth")
		}
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: made}})
	}
	written := must[*dynamodb.BatchWriteItemOutput](t)(client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{"orders": writes}}))
	same(t, "unprocessed", len(written.UnprocessedItems), 0)
	_, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{"orders": append(writes, writes[0])}})
	refused(t, err, "ValidationException")
	got := must[*dynamodb.BatchGetItemOutput](t)(client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{"orders": {Keys: []item{order("r", "o10"), order("r", "o99")}}}}))
	same(t, "batch", ids(got.Responses["orders"]), []string{"o10"})

	query := func(condition string, values item, more func(*dynamodb.QueryInput)) *dynamodb.QueryOutput {
		input := &dynamodb.QueryInput{TableName: orders, KeyConditionExpression: aws.String(condition), ExpressionAttributeValues: values}
		if more != nil {
			more(input)
		}
		return must[*dynamodb.QueryOutput](t)(client.Query(ctx, input))
	}
	for condition, wanted := range map[string][]string{
		"order_id = :a": {"o12"}, "order_id < :a": {"o10", "o11"}, "order_id <= :a": {"o10", "o11", "o12"},
		"begins_with(order_id, :a)": {"o12"}, "order_id BETWEEN :a AND :a": {"o12"},
	} {
		values := item{":c": text("r"), ":a": text("o12")}
		same(t, condition, ids(query("customer = :c AND "+condition, values, nil).Items), wanted)
	}
	backward := query("customer = :c AND order_id > :a", item{":c": text("r"), ":a": text("o31")}, func(input *dynamodb.QueryInput) {
		input.ScanIndexForward = aws.Bool(false)
	})
	same(t, "backward", ids(backward.Items), []string{"o34", "o33", "o32"})
	sparse := query("#s = :s", item{":s": text("fifth")}, func(input *dynamodb.QueryInput) {
		input.IndexName, input.ExpressionAttributeNames = aws.String("by_status"), map[string]string{"#s": "status"}
		input.Limit, input.ReturnConsumedCapacity = aws.Int32(2), types.ReturnConsumedCapacityIndexes
	})
	same(t, "sparse", ids(sparse.Items), []string{"o30", "o25"})
	same(t, "index cost", *sparse.ConsumedCapacity.GlobalSecondaryIndexes["by_status"].CapacityUnits, 0.5)
	local := query("customer = :c AND amount > :n", item{":c": text("r"), ":n": number(-12)}, func(input *dynamodb.QueryInput) {
		input.IndexName, input.ConsistentRead, input.Select = aws.String("by_amount"), aws.Bool(true), types.SelectCount
	})
	same(t, "count", local.Count, int32(2))
	found := []string{}
	for segment := range int32(2) {
		pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{
			TableName: orders, Segment: aws.Int32(segment), TotalSegments: aws.Int32(2), Limit: aws.Int32(6),
			FilterExpression: aws.String("#d = :d"), ExpressionAttributeNames: map[string]string{"#d": "day"},
			ExpressionAttributeValues: item{":d": text("d")}})
		for pages.HasMorePages() {
			found = append(found, ids(must[*dynamodb.ScanOutput](t)(pages.NextPage(ctx)).Items)...)
		}
	}
	sort.Strings(found)
	same(t, "scan", []any{len(found), found[0], found[24]}, []any{25, "o10", "o34"})
}

func transactions(t *testing.T, client *dynamodb.Client) {
	request := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String("go-story-token"), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: orders, Item: order("tx", "1")}},
			{Update: &types.Update{TableName: orders, Key: order("tx", "2"), UpdateExpression: aws.String("ADD n :n"),
				ExpressionAttributeValues: item{":n": number(5)}}},
		}}
	answer := must[*dynamodb.TransactWriteItemsOutput](t)(client.TransactWriteItems(ctx, request))
	same(t, "cost", *answer.ConsumedCapacity[0].CapacityUnits, 4.0)
	must[*dynamodb.TransactWriteItemsOutput](t)(client.TransactWriteItems(ctx, request))
	got := must[*dynamodb.TransactGetItemsOutput](t)(client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{
		TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: orders, Key: order("tx", "2")}}, {Get: &types.Get{TableName: orders, Key: order("tx", "3")}},
		}}))
	same(t, "counted once", got.Responses[0].Item["n"], number(5))
	same(t, "absent", len(got.Responses[1].Item), 0)
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: request.ClientRequestToken, TransactItems: request.TransactItems[:1]})
	refused(t, err, "IdempotentParameterMismatchException")
	_, err = client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: orders, Key: order("tx", "2")}},
		{ConditionCheck: &types.ConditionCheck{TableName: orders, Key: order("tx", "1"),
			ConditionExpression: aws.String("attribute_not_exists(customer)")}},
	}})
	var cancelled *types.TransactionCanceledException
	if !errors.As(refused(t, err, "TransactionCanceledException"), &cancelled) {
		t.Fatal(err)
	}
	same(t, "first reason", *cancelled.CancellationReasons[0].Code, "None")
	same(t, "second reason", *cancelled.CancellationReasons[1].Code, "ConditionalCheckFailed")
}

func indexes(t *testing.T, client *dynamodb.Client) {
	key := append(keys("day", "status"), types.KeySchemaElement{AttributeName: aws.String("amount"), KeyType: types.KeyTypeRange})
	key[1].KeyType = types.KeyTypeHash
	must[*dynamodb.UpdateTableOutput](t)(client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: orders, AttributeDefinitions: described(t, client, orders).AttributeDefinitions,
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String("by_both"), KeySchema: key, Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}}}}}))
	until(t, client, orders, func(table *types.TableDescription) bool {
		for _, index := range table.GlobalSecondaryIndexes {
			if index.IndexStatus != types.IndexStatusActive {
				return false
			}
		}
		return len(table.GlobalSecondaryIndexes) == 3
	})
	found := must[*dynamodb.QueryOutput](t)(client.Query(ctx, &dynamodb.QueryInput{
		TableName: orders, IndexName: aws.String("by_both"), KeyConditionExpression: aws.String("#d = :d AND #s = :s"),
		ExpressionAttributeNames:  map[string]string{"#d": "day", "#s": "status"},
		ExpressionAttributeValues: item{":d": text("d"), ":s": text("fifth")}}))
	same(t, "by both", ids(found.Items), []string{"o30", "o25", "o20", "o15", "o10"})
	must[*dynamodb.UpdateTableOutput](t)(client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: orders, GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{
			Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("by_both")}}}}))
	until(t, client, orders, func(table *types.TableDescription) bool { return len(table.GlobalSecondaryIndexes) == 2 })
}

func settings(t *testing.T, client *dynamodb.Client) {
	arn := described(t, client, orders).TableArn
	tag := types.Tag{Key: aws.String("a"), Value: aws.String("1")}
	must[*dynamodb.TagResourceOutput](t)(client.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: arn, Tags: []types.Tag{tag}}))
	must[*dynamodb.UntagResourceOutput](t)(client.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"team"}}))
	tags := must[*dynamodb.ListTagsOfResourceOutput](t)(client.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: arn}))
	same(t, "tags", tags.Tags, []types.Tag{tag})
	must[*dynamodb.UpdateTimeToLiveOutput](t)(client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: orders, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)}}))
	live := must[*dynamodb.DescribeTimeToLiveOutput](t)(client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: orders}))
	same(t, "time to live", *live.TimeToLiveDescription.AttributeName, "expires")
	limits := must[*dynamodb.DescribeLimitsOutput](t)(client.DescribeLimits(ctx, &dynamodb.DescribeLimitsInput{}))
	same(t, "limits", *limits.AccountMaxReadCapacityUnits, int64(80000))
	endpoints := must[*dynamodb.DescribeEndpointsOutput](t)(client.DescribeEndpoints(ctx, &dynamodb.DescribeEndpointsInput{}))
	same(t, "endpoints", endpoints.Endpoints[0].CachePeriodInMinutes, int64(1440))
	backups := must[*dynamodb.DescribeContinuousBackupsOutput](t)(client.DescribeContinuousBackups(ctx,
		&dynamodb.DescribeContinuousBackupsInput{TableName: orders}))
	same(t, "recovery", backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus,
		types.PointInTimeRecoveryStatusDisabled)
}

func failures(t *testing.T, client *dynamodb.Client) {
	_, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("absent")})
	refused(t, err, "ResourceNotFoundException")
	_, err = client.CreateTable(ctx, &dynamodb.CreateTableInput{TableName: orders, AttributeDefinitions: strings("id"),
		KeySchema: keys("id"), BillingMode: types.BillingModePayPerRequest})
	refused(t, err, "ResourceInUseException")
	_, err = client.GetItem(ctx, &dynamodb.GetItemInput{TableName: orders, Key: item{"customer": text("a")}})
	refused(t, err, "ValidationException")
}

func remove(t *testing.T, client *dynamodb.Client) {
	_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: orders})
	refused(t, err, "ValidationException")
	must[*dynamodb.UpdateTableOutput](t)(client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: orders, DeletionProtectionEnabled: aws.Bool(false)}))
	until(t, client, orders, func(table *types.TableDescription) bool { return table.TableStatus == types.TableStatusActive })
	gone := must[*dynamodb.DeleteTableOutput](t)(client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: orders}))
	same(t, "status", gone.TableDescription.TableStatus, types.TableStatusDeleting)
}
