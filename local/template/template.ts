/** The synthesized CloudFormation template: read, and refused when it holds what the local run cannot do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asObject, asText, isObject, type JsonObject, optionalText } from '../untyped-json.ts';

export interface Resource {
  logicalId: string;
  type: string;
  /** As written, intrinsic functions included. */
  properties: JsonObject;
}

export interface Template {
  stackName: string;
  resources: ReadonlyMap<string, Resource>;
  /** Default values of the template's parameters. */
  parameters: ReadonlyMap<string, unknown>;
  outputs: ReadonlyMap<string, unknown>;
  /** Where the assets are, by the key under which they would be in the assets bucket. */
  assetDirectories: ReadonlyMap<string, string>;
}

/** Resource types that the local run emulates. */
const emulatedTypes = new Set([
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::DynamoDB::Table',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Url',
  'AWS::Lambda::Version',
  'AWS::SQS::Queue',
  'AWS::SecretsManager::Secret',
]);

/** Resource types that change nothing that a caller of the local run could see. */
const typesWithoutLocalEffect = [
  /^AWS::ApiGateway::(Account|Deployment)$/,
  /^AWS::CDK::Metadata$/,
  /^AWS::CloudWatch::/,
  /^AWS::Logs::/,
  /^AWS::SNS::/,
  /^AWS::SQS::QueuePolicy$/,
  /^AWS::SecretsManager::ResourcePolicy$/,
];

/** Reads the one stack of a cloud assembly. */
export function readTemplate(assemblyDirectory: string): Template {
  const manifest = readJsonFile(join(assemblyDirectory, 'manifest.json'));
  const stacks = Object.entries(asObject(manifest.artifacts, 'manifest.json: artifacts')).filter(
    ([, artifact]) => isObject(artifact) && artifact.type === 'aws:cloudformation:stack',
  );
  const [stack] = stacks;
  if (stack === undefined || stacks.length > 1) {
    throw new LocalGatewayError(`The app must have one stack to run locally; it has ${stacks.length}`);
  }
  const [artifactId, artifact] = stack;
  const properties = asObject(asObject(artifact, artifactId).properties, `${artifactId}: properties`);
  const templateFile = asText(properties.templateFile, `${artifactId}: templateFile`);
  return parseTemplate({
    stackName: optionalText(properties.stackName, `${artifactId}: stackName`) ?? artifactId,
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
    const type = asText(resource.Type, `${logicalId}.Type`);
    refuseUnknownType(logicalId, type);
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

/** The logical id as its author knows it: CDK ends it with a hash of eight characters. */
export function nameWithoutHash(logicalId: string): string {
  return logicalId.replace(/(?<=.)[0-9A-F]{8}$/, '');
}

function refuseUnknownType(logicalId: string, type: string): void {
  if (emulatedTypes.has(type) || typesWithoutLocalEffect.some((pattern) => pattern.test(type))) return;
  throw new LocalGatewayError(
    `${logicalId} is a ${type}, which the local run does not know: emulate it in local/, or add it to typesWithoutLocalEffect in local/template/template.ts if it has no effect there`,
  );
}

/** One field of each entry of a section such as `Outputs`. */
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
    const path = asText(asObject(source, id).path, `${id}: source.path`);
    for (const destination of Object.values(asObject(destinations, id))) {
      directories.set(
        asText(asObject(destination, id).objectKey, `${id}: objectKey`),
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
