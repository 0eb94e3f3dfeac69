/** The template's data: tables, provided, queues and secrets, to be provided, and what their names resolve to. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { QueueDefinition } from '../aws/queues.ts';
import type { Secret } from '../aws/secrets-manager.ts';
import { provideTable, type Table } from '../aws/tables.ts';
import { asObject, asText, type JsonObject } from '../untyped-json.ts';
import { type References, resolveIntrinsics } from './intrinsics.ts';
import { createReferences, nameOf, physicalName, type ReferenceSources } from './references.ts';
import { resourcesOfType, type Template } from './template.ts';

export interface LocalStack {
  template: Template;
  sources: ReferenceSources;
  tables: ReadonlyMap<string, Table>;
  queues: QueueDefinition[];
  secrets: Secret[];
  /** Replaces the intrinsic functions of a value. */
  resolve(value: unknown): unknown;
  outputs(): Record<string, string>;
}

export async function provideStack(request: {
  template: Template;
  region: string;
  /** Of the engine, with all rights. */
  client: DynamoDBClient;
  functionUrlOrigin: string;
  /** Where AWS will answer. */
  awsOrigin: string;
}): Promise<LocalStack> {
  const { template, region, client, functionUrlOrigin, awsOrigin } = request;
  const tables = new Map<string, Table>();
  const sources: ReferenceSources = { template, region, tables, functionUrlOrigin, awsOrigin };
  const references: References = createReferences(sources);
  const resolve = (value: unknown) => resolveIntrinsics(value, references);

  for (const resource of resourcesOfType(template, 'AWS::DynamoDB::Table')) {
    const properties = asObject(resolve(resource.properties), resource.logicalId);
    const defaultName = physicalName(template, resource);
    tables.set(resource.logicalId, await provideTable({ client, resource, properties, defaultName }));
  }
  return {
    template,
    sources,
    tables,
    queues: readQueues(sources, references),
    secrets: readSecrets(sources, references),
    resolve,
    outputs: () => resolveOutputs(template, resolve),
  };
}

function readQueues(sources: ReferenceSources, references: References): QueueDefinition[] {
  return resourcesOfType(sources.template, 'AWS::SQS::Queue').map((resource) => ({
    name: nameOf(sources, resource, 'QueueName'),
    arn: asText(references.attribute(resource.logicalId, 'Arn'), resource.logicalId),
    url: asText(references.ref(resource.logicalId), resource.logicalId),
    properties: asObject(resolveIntrinsics(resource.properties, references), resource.logicalId),
  }));
}

function readSecrets(sources: ReferenceSources, references: References): Secret[] {
  return resourcesOfType(sources.template, 'AWS::SecretsManager::Secret').map((resource) => ({
    name: nameOf(sources, resource, 'Name'),
    arn: asText(references.ref(resource.logicalId), resource.logicalId),
    initialValue: initialSecretValue(
      asObject(resolveIntrinsics(resource.properties, references), resource.logicalId),
    ),
  }));
}

/** A generated password has no use locally; its template, when there is one, has. */
function initialSecretValue(properties: JsonObject): string {
  if (typeof properties.SecretString === 'string') return properties.SecretString;
  const generated = asObject(properties.GenerateSecretString ?? {}, 'GenerateSecretString');
  return typeof generated.SecretStringTemplate === 'string' ? generated.SecretStringTemplate : '{}';
}

function resolveOutputs(template: Template, resolve: (value: unknown) => unknown): Record<string, string> {
  return Object.fromEntries([...template.outputs].map(([name, value]) => [name, String(resolve(value))]));
}
