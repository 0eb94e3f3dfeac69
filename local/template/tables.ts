/** Creates the template's tables on the first start and checks their schema on later ones. */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asObject, isObject, type JsonObject, optionalString } from '../untyped-json.ts';
import type { Resource } from './template.ts';

export interface Table {
  logicalId: string;
  name: string;
  arn: string;
  streamArn: string | undefined;
}

/** Template properties that define the schema; the other properties have no local effect. */
const schemaFields = [
  'AttributeDefinitions',
  'KeySchema',
  'GlobalSecondaryIndexes',
  'LocalSecondaryIndexes',
] as const;

export async function ensureTable(request: {
  client: DynamoDBClient;
  resource: Resource;
  /** The properties with all intrinsic functions resolved. */
  properties: JsonObject;
  defaultName: string;
}): Promise<Table> {
  const { client, resource, properties } = request;
  const name = optionalString(properties.TableName, `${resource.logicalId}.TableName`) ?? request.defaultName;
  const input = createTableInput(name, properties);
  let description = await describe(client, name);
  if (description === undefined) {
    await create(client, input, properties);
    description = await describe(client, name);
  } else {
    assertSameSchema(input, description);
  }
  if (description?.TableArn === undefined)
    throw new LocalGatewayError(`The engine did not create the table ${name}`);
  return {
    logicalId: resource.logicalId,
    name,
    arn: description.TableArn,
    streamArn: description.LatestStreamArn,
  };
}

function createTableInput(name: string, properties: JsonObject): CreateTableCommandInput {
  const schema = Object.fromEntries(
    schemaFields
      .filter((field) => properties[field] !== undefined)
      .map((field) => [field, properties[field]]),
  );
  const stream = properties.StreamSpecification;
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    ...schema,
    // Omit the resource policy, which has no local effect.
    ...(isObject(stream) && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType },
    }),
  } as CreateTableCommandInput;
}

async function create(
  client: DynamoDBClient,
  input: CreateTableCommandInput,
  properties: JsonObject,
): Promise<void> {
  await client.send(new CreateTableCommand(input));
  await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 1 }, { TableName: input.TableName });
  if (properties.TimeToLiveSpecification === undefined) return;
  const { AttributeName, Enabled } = asObject(properties.TimeToLiveSpecification, 'TimeToLiveSpecification');
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: input.TableName,
      TimeToLiveSpecification: { AttributeName: String(AttributeName), Enabled: Enabled === true },
    }),
  );
}

async function describe(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

function assertSameSchema(declared: CreateTableCommandInput, existing: TableDescription): void {
  if (describeSchema(declared) === describeSchema(existing)) return;
  throw new LocalGatewayError(
    `The schema of the table ${declared.TableName} has changed since its data was written: delete the data directory (.gateway) and restart`,
  );
}

/** Serializes keys, indexes and stream independently of their order, for comparison. */
function describeSchema(table: CreateTableCommandInput | TableDescription): string {
  const keys = (schema: { AttributeName?: string; KeyType?: string }[] | undefined) =>
    (schema ?? []).map((key) => `${key.KeyType}:${key.AttributeName}`).sort();
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])].map(
    (index) => [
      index.IndexName,
      keys(index.KeySchema),
      index.Projection?.ProjectionType,
      [...(index.Projection?.NonKeyAttributes ?? [])].sort(),
    ],
  );
  const attributes = (table.AttributeDefinitions ?? []).map(
    (attribute) => `${attribute.AttributeName}:${attribute.AttributeType}`,
  );
  const stream = table.StreamSpecification?.StreamViewType ?? null;
  return JSON.stringify([keys(table.KeySchema), attributes.sort(), indexes.sort(), stream]);
}
