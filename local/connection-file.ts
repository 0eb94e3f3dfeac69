/** Reads and writes `.gateway/local.json`, from which admin commands and tests read the endpoints and the API key. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEndpointPid } from './aws/endpoint.ts';
import { LocalGatewayError } from './local-gateway-error.ts';
import { writePrivateFile } from './private-file.ts';
import { isObject, parseJson } from './untyped-json.ts';

export interface LocalConnection {
  /** Base URL of the REST API, without a trailing slash. */
  base_url: string;
  /** The chat function URL, without a trailing slash. */
  chat_url: string;
  /** Without a trailing slash; `null` when the stack has no dashboard, like `sign_in_url`. */
  dashboard_url: string | null;
  /** Origin of the local user pool: managed login, OpenID provider and mail. */
  sign_in_url: string | null;
  api_key: string;
  organization_id: string;
  /** The five AWS endpoints accept the access key id `local-admin` with any secret access key. */
  dynamodb_endpoint: string;
  secretsmanager_endpoint: string;
  sqs_endpoint: string;
  sts_endpoint: string;
  ses_endpoint: string;
  region: string;
  /** The stack's outputs, with the local URLs and `ProviderSettings`. */
  outputs: Record<string, string>;
  /** Process id of the running gateway; absent after it has stopped. */
  pid?: number;
}

const fileName = 'local.json';

/** Returns the connection of the last run on the data directory, or an empty object when there is no file. */
export function readConnectionFile(dataDirectory: string): Partial<LocalConnection> {
  const file = join(dataDirectory, fileName);
  const connection = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
  return isObject(connection) ? (connection as Partial<LocalConnection>) : {};
}

export function writeConnectionFile(dataDirectory: string, connection: LocalConnection): void {
  writePrivateFile(join(dataDirectory, fileName), `${JSON.stringify(connection, null, 2)}\n`);
}

/**
 * Throws when a gateway already runs on the data directory. The operating system may have reused the process id for
 * another program, so the gateway must also respond at the endpoint in the file.
 */
export async function assertNotRunning(dataDirectory: string): Promise<void> {
  const { pid, base_url: baseUrl, dynamodb_endpoint: endpoint } = readConnectionFile(dataDirectory);
  if (pid === undefined || endpoint === undefined || (await readEndpointPid(endpoint)) !== pid) return;
  throw new LocalGatewayError(
    `A local gateway (process ${pid}) is already running on ${dataDirectory} at ${baseUrl}: stop it first`,
  );
}
