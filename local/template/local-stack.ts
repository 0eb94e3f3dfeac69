/** The resolved template: creates its tables, and describes its queues, secrets and outputs. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { asObject, asString, type JsonObject } from '../untyped-json.ts';
import { type References, resolveIntrinsics } from './intrinsics.ts';
import { createOriginReplacement } from './public-origins.ts';
import { createReferences, nameOf, physicalName, type ReferenceSources } from './references.ts';
import { ensureTable, type Table } from './tables.ts';
import { resourcesOfType, type Template } from './template.ts';

export interface Secret {
  name: string;
  arn: string;
  initialValue: string;
  /** `apply` maps a stored value to the value that callers read; `remove` maps a written value to the one to store. */
  overlay?: { apply(stored: string): string; remove(written: string): string };
}

export interface QueueDefinition {
  name: string;
  arn: string;
  /** Queue URL at the local AWS endpoint, as functions and outputs have it. */
  url: string;
  properties: JsonObject;
}

export interface LocalStack {
  template: Template;
  sources: ReferenceSources;
  tables: ReadonlyMap<string, Table>;
  queues: QueueDefinition[];
  secrets: Secret[];
  /** Resolves the intrinsic functions in a value, with the local origins in all strings. */
  resolve(value: unknown): unknown;
  outputs(): Record<string, string>;
}

export async function createLocalStack(request: {
  template: Template;
  region: string;
  /** Client of the DynamoDB engine, with administrator credentials. */
  client: DynamoDBClient;
  restApiOrigin: string;
  functionUrlOrigin: string;
  dashboardOrigin: string;
  signInOrigin: string;
  awsOrigin: string;
}): Promise<LocalStack> {
  const { client, ...settings } = request;
  const { template } = settings;
  const tables = new Map<string, Table>();
  const sources: ReferenceSources = { ...settings, tables };
  const references = createReferences(sources);
  const resolve = createResolver(sources, references);

  for (const resource of resourcesOfType(template, 'AWS::DynamoDB::Table')) {
    const properties = asObject(resolve(resource.properties), resource.logicalId);
    const defaultName = physicalName(template, resource);
    tables.set(resource.logicalId, await ensureTable({ client, resource, properties, defaultName }));
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

export function createResolver(sources: ReferenceSources, references: References): LocalStack['resolve'] {
  const replaceOrigins = createOriginReplacement(sources, references);
  return (value) => replaceOrigins(resolveIntrinsics(value, references));
}

function readQueues(sources: ReferenceSources, references: References): QueueDefinition[] {
  return resourcesOfType(sources.template, 'AWS::SQS::Queue').map((resource) => ({
    name: nameOf(sources, resource, 'QueueName'),
    arn: asString(references.attribute(resource.logicalId, 'Arn'), resource.logicalId),
    url: asString(references.ref(resource.logicalId), resource.logicalId),
    properties: asObject(resolveIntrinsics(resource.properties, references), resource.logicalId),
  }));
}

function readSecrets(sources: ReferenceSources, references: References): Secret[] {
  return resourcesOfType(sources.template, 'AWS::SecretsManager::Secret').map((resource) => ({
    name: nameOf(sources, resource, 'Name'),
    arn: asString(references.ref(resource.logicalId), resource.logicalId),
    initialValue: initialSecretValue(
      asObject(resolveIntrinsics(resource.properties, references), resource.logicalId),
    ),
  }));
}

/** Generated passwords are not emulated: the value is `SecretStringTemplate`, or an empty object. */
function initialSecretValue(properties: JsonObject): string {
  if (typeof properties.SecretString === 'string') return properties.SecretString;
  const generated = asObject(properties.GenerateSecretString ?? {}, 'GenerateSecretString');
  return typeof generated.SecretStringTemplate === 'string' ? generated.SecretStringTemplate : '{}';
}

function resolveOutputs(template: Template, resolve: (value: unknown) => unknown): Record<string, string> {
  return Object.fromEntries([...template.outputs].map(([name, value]) => [name, String(resolve(value))]));
}
