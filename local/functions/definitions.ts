import { tmpdir } from 'node:os';
import { functionAccessKeyId, localSecretAccessKey } from '../identities.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { functionArn, nameOf, type ReferenceSources } from '../template/references.ts';
import { assertSupportedProperties } from '../template/supported-properties.ts';
import { hostedFunctions, nameWithoutHash, type Resource } from '../template/template.ts';
import { asObject, asString, type JsonObject, numberOr } from '../untyped-json.ts';

export interface FunctionDefinition {
  logicalId: string;
  /** Display name: the logical id without its hash. */
  name: string;
  functionName: string;
  arn: string;
  roleLogicalId: string;
  codeDirectory: string;
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMb: number;
  /** Concurrency is unlimited when not set. */
  reservedConcurrency?: number;
}

interface DefinitionSources extends ReferenceSources {
  resolve: (value: unknown) => unknown;
  awsEndpoint: string;
  /** Environment of the local run. Only `inheritedVariables` are passed on. */
  hostEnvironment: NodeJS.ProcessEnv;
}

/** Locations of programs and certificates: no other variable may change the behaviour of a function. */
const inheritedVariables = ['PATH', 'SystemRoot', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

export function readFunctionDefinitions(sources: DefinitionSources): FunctionDefinition[] {
  return hostedFunctions(sources.template).map((resource) => readDefinition(resource, sources));
}

function readDefinition(resource: Resource, sources: DefinitionSources): FunctionDefinition {
  const { logicalId } = resource;
  const properties = asObject(sources.resolve(resource.properties), logicalId);
  if (!String(properties.Runtime).startsWith('nodejs')) {
    throw new LocalGatewayError(
      `${logicalId} has the runtime ${properties.Runtime}: the local run supports only Node.js`,
    );
  }
  assertJsonLogs(properties, logicalId);
  const functionName = nameOf(sources, resource, 'FunctionName');
  const codeDirectory = findCode(properties, sources, logicalId);
  return {
    logicalId,
    name: nameWithoutHash(logicalId),
    functionName,
    arn: functionArn(sources, resource),
    roleLogicalId: readRole(resource),
    codeDirectory,
    environment: createEnvironmentVariables({ logicalId, functionName, properties, codeDirectory }, sources),
    timeoutSeconds: numberOr(3, properties.Timeout, `${logicalId}.Timeout`),
    memoryMb: readMemoryMb(properties, logicalId),
    reservedConcurrency: readReservedConcurrency(properties, logicalId),
  };
}

function readMemoryMb(properties: JsonObject, logicalId: string): number {
  return numberOr(128, properties.MemorySize, `${logicalId}.MemorySize`);
}

/** A log level would drop lines from which entries are recovered. */
function assertJsonLogs({ LoggingConfig }: JsonObject, logicalId: string): void {
  const { LogFormat, LogGroup: _, ...others } = asObject(LoggingConfig ?? {}, `${logicalId}.LoggingConfig`);
  if (LogFormat !== 'JSON')
    throw new LocalGatewayError(`${logicalId}: the local run emulates only the log format JSON`);
  assertSupportedProperties(others, [], `${logicalId}.LoggingConfig`);
}

function readReservedConcurrency(properties: JsonObject, logicalId: string): number | undefined {
  const { ReservedConcurrentExecutions: reserved } = properties;
  if (reserved === undefined) return undefined;
  return numberOr(0, reserved, `${logicalId}.ReservedConcurrentExecutions`);
}

function findCode(properties: JsonObject, sources: DefinitionSources, logicalId: string): string {
  const key = asString(asObject(properties.Code, `${logicalId}.Code`).S3Key, `${logicalId}.Code.S3Key`);
  const directory = sources.template.assetDirectories.get(key);
  if (directory === undefined)
    throw new LocalGatewayError(`The code of ${logicalId} (${key}) is not in the assembly`);
  return directory;
}

export function readRole(resource: Resource): string {
  const role = asObject(resource.properties.Role, `${resource.logicalId}.Role`);
  const [roleLogicalId] = Array.isArray(role['Fn::GetAtt']) ? role['Fn::GetAtt'] : [];
  return asString(roleLogicalId, `${resource.logicalId}.Role must be a role of the template: its Fn::GetAtt`);
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime */
function createEnvironmentVariables(
  fn: { logicalId: string; functionName: string; properties: JsonObject; codeDirectory: string },
  sources: DefinitionSources,
): Record<string, string> {
  const { properties, functionName, logicalId } = fn;
  const where = `${logicalId}.Environment`;
  const declared = asObject(
    asObject(properties.Environment ?? {}, where).Variables ?? {},
    `${where}.Variables`,
  );
  const inherited = inheritedVariables.flatMap((name) => {
    const value = sources.hostEnvironment[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(inherited),
    TMPDIR: tmpdir(),
    TZ: 'UTC',
    AWS_REGION: sources.region,
    AWS_DEFAULT_REGION: sources.region,
    AWS_ACCESS_KEY_ID: functionAccessKeyId(logicalId),
    AWS_SECRET_ACCESS_KEY: localSecretAccessKey,
    // Applies to all AWS services, so that functions cannot reach an AWS account.
    AWS_ENDPOINT_URL: sources.awsEndpoint,
    AWS_EXECUTION_ENV: `AWS_Lambda_${properties.Runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(readMemoryMb(properties, logicalId)),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: fn.codeDirectory,
    _HANDLER: asString(properties.Handler, `${logicalId}.Handler`),
    ...Object.fromEntries(Object.entries(declared).map(([name, value]) => [name, String(value)])),
  };
}
