/** Reads the synthesized CloudFormation template. Throws when it contains unsupported resources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asList, asObject, asString, isObject, type JsonObject, optionalString } from '../untyped-json.ts';

export interface Resource {
  logicalId: string;
  type: string;
  /** Unresolved: may contain intrinsic functions. */
  properties: JsonObject;
}

export interface Template {
  stackName: string;
  resources: ReadonlyMap<string, Resource>;
  parameters: ReadonlyMap<string, unknown>;
  outputs: ReadonlyMap<string, unknown>;
  /** Local directory of each asset, by its object key in the assets bucket. */
  assetDirectories: ReadonlyMap<string, string>;
}

const emulatedTypes = new Set([
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::Function',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::Cognito::UserPool',
  'AWS::Cognito::UserPoolClient',
  'AWS::Cognito::UserPoolDomain',
  'AWS::Cognito::UserPoolIdentityProvider',
  'AWS::DynamoDB::Table',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Url',
  'AWS::Lambda::Version',
  'AWS::S3::Bucket',
  'AWS::SQS::Queue',
  'AWS::SecretsManager::Secret',
  'Custom::CDKBucketDeployment',
]);

const typesWithoutLocalEffect = [
  /^AWS::ApiGateway::(Account|Deployment)$/,
  /^AWS::CDK::Metadata$/,
  /^AWS::CloudFront::OriginAccessControl$/,
  /^AWS::CloudWatch::/,
  /^AWS::Cognito::ManagedLoginBranding$/,
  /^AWS::Lambda::LayerVersion$/,
  /^AWS::Logs::/,
  /^AWS::S3::BucketPolicy$/,
  /^AWS::SNS::/,
  /^AWS::SQS::QueuePolicy$/,
  /^AWS::SecretsManager::ResourcePolicy$/,
  /^Custom::S3AutoDeleteObjects$/,
];

export function readTemplate(assemblyDirectory: string): Template {
  const manifest = readJsonFile(join(assemblyDirectory, 'manifest.json'));
  const stacks = Object.entries(asObject(manifest.artifacts, 'manifest.json: artifacts')).filter(
    ([, artifact]) => isObject(artifact) && artifact.type === 'aws:cloudformation:stack',
  );
  const [stack] = stacks;
  if (stack === undefined || stacks.length > 1) {
    throw new LocalGatewayError(
      `The app must have exactly one stack to run locally; it has ${stacks.length}`,
    );
  }
  const [artifactId, artifact] = stack;
  const properties = asObject(asObject(artifact, artifactId).properties, `${artifactId}: properties`);
  const templateFile = asString(properties.templateFile, `${artifactId}: templateFile`);
  return parseTemplate({
    stackName: optionalString(properties.stackName, `${artifactId}: stackName`) ?? artifactId,
    template: readJsonFile(join(assemblyDirectory, templateFile)),
    assetDirectories: readAssetDirectories(assemblyDirectory, templateFile),
  });
}

export function parseTemplate(source: {
  stackName: string;
  template: JsonObject;
  assetDirectories?: ReadonlyMap<string, string>;
}): Template {
  const { stackName, template, assetDirectories = new Map() } = source;
  const resources = new Map<string, Resource>();
  for (const [logicalId, value] of Object.entries(asObject(template.Resources, 'Resources'))) {
    const resource = asObject(value, logicalId);
    const type = asString(resource.Type, `${logicalId}.Type`);
    assertKnownType(logicalId, type);
    if (resource.Condition !== undefined) {
      throw new LocalGatewayError(`${logicalId} has a Condition, which the local run does not evaluate`);
    }
    resources.set(logicalId, { logicalId, type, properties: asObject(resource.Properties ?? {}, logicalId) });
  }
  return {
    stackName,
    resources,
    parameters: pluck(template.Parameters, 'Default'),
    outputs: pluck(template.Outputs, 'Value'),
    assetDirectories,
  };
}

export function resourcesOfType(template: Template, type: string): Resource[] {
  return [...template.resources.values()].filter((resource) => resource.type === type);
}

/** Returns the functions of the gateway, without those that implement custom resources, which are not run. */
export function hostedFunctions(template: Template): Resource[] {
  const customResourceFunctions = new Set(
    [...template.resources.values()].flatMap(({ properties }) => referencedId(properties.ServiceToken) ?? []),
  );
  return resourcesOfType(template, 'AWS::Lambda::Function').filter(
    ({ logicalId }) => !customResourceFunctions.has(logicalId),
  );
}

/** Returns the logical id to which a `Ref` or an `Fn::GetAtt` refers. */
export function referencedId(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const [logicalId] = asList(value['Fn::GetAtt'] ?? value.Ref);
  return typeof logicalId === 'string' ? logicalId : undefined;
}

/** Removes the eight-character hash that CDK appends to logical ids. */
export function nameWithoutHash(logicalId: string): string {
  return logicalId.replace(/(?<=.)[0-9A-F]{8}$/, '');
}

function assertKnownType(logicalId: string, type: string): void {
  if (emulatedTypes.has(type) || typesWithoutLocalEffect.some((pattern) => pattern.test(type))) return;
  throw new LocalGatewayError(
    `${logicalId} has the type ${type}, which the local run does not support: emulate it in local/, or add it to typesWithoutLocalEffect in local/template/template.ts if it has no effect there`,
  );
}

/** Returns one field of each entry of a section such as `Outputs`. */
function pluck(section: unknown, field: string): Map<string, unknown> {
  const entries = Object.entries(asObject(section ?? {}, field));
  return new Map(entries.map(([name, entry]) => [name, asObject(entry, name)[field]]));
}

function readAssetDirectories(assemblyDirectory: string, templateFile: string): Map<string, string> {
  const directories = new Map<string, string>();
  const assets = readJsonFile(
    join(assemblyDirectory, templateFile.replace('.template.json', '.assets.json')),
  );
  for (const [id, file] of Object.entries(asObject(assets.files, 'assets: files'))) {
    const { source, destinations } = asObject(file, id);
    const path = asString(asObject(source, id).path, `${id}: source.path`);
    for (const destination of Object.values(asObject(destinations, id))) {
      directories.set(
        asString(asObject(destination, id).objectKey, `${id}: objectKey`),
        join(assemblyDirectory, path),
      );
    }
  }
  return directories;
}

function readJsonFile(path: string): JsonObject {
  try {
    return asObject(JSON.parse(readFileSync(path, 'utf8')), path);
  } catch (error) {
    if (error instanceof LocalGatewayError) throw error;
    throw new LocalGatewayError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
