/** `.gateway/local.json`: where the local run answers and with which key, for people, tests and the admin commands. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEndpointPid } from './aws/aws-endpoint.ts';
import { LocalGatewayError } from './local-gateway-error.ts';
import { writePrivateFile } from './private-file.ts';
import { isObject, parseJson } from './untyped-json.ts';

export interface LocalFacts {
  /** Of the REST API, without a trailing slash. */
  base_url: string;
  /** Of the chat Function URL, without a trailing slash. */
  chat_url: string;
  api_key: string;
  organization_id: string;
  /** These are to be called with the access key id `local-admin`, and any secret. */
  dynamodb_endpoint: string;
  secretsmanager_endpoint: string;
  sqs_endpoint: string;
  region: string;
  /** The stack's outputs; `ApiBaseUrl`, `ChatUrl` and `ProviderSettings` are those of the local run. */
  outputs: Record<string, string>;
  /** Of the running gateway; not there when it was stopped. */
  pid?: number;
}

const fileName = 'local.json';

/** Of the last run on the data folder; what it lacks is left out. */
export function readLocalFacts(dataDirectory: string): Partial<LocalFacts> {
  const file = join(dataDirectory, fileName);
  const facts = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
  return isObject(facts) ? (facts as Partial<LocalFacts>) : {};
}

export function writeLocalFacts(dataDirectory: string, facts: LocalFacts): void {
  writePrivateFile(join(dataDirectory, fileName), `${JSON.stringify(facts, null, 2)}\n`);
}

/** A process id alone may be another program's by now: the gateway must also answer where the file says. */
export async function refuseSecondRun(dataDirectory: string): Promise<void> {
  const { pid, base_url: baseUrl, dynamodb_endpoint: endpoint } = readLocalFacts(dataDirectory);
  if (pid === undefined || endpoint === undefined || (await readEndpointPid(endpoint)) !== pid) return;
  throw new LocalGatewayError(
    `A local gateway (process ${pid}) already runs on ${dataDirectory}, at ${baseUrl}: stop it first`,
  );
}
