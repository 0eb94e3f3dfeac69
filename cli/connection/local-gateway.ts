/** Finds the gateway that runs on this machine by the file that it writes into its data directory. */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { AdminError } from '../errors.ts';
import { type GatewayConnection, openGateway } from './gateway-connection.ts';

/** The file that `npm start` writes into its data directory. */
const localFacts = z.object({
  dynamodb_endpoint: z.url(),
  secretsmanager_endpoint: z.url(),
  sqs_endpoint: z.url(),
  region: z.string().min(1),
  outputs: z.record(z.string(), z.string()),
});

type LocalFacts = z.output<typeof localFacts>;

const projectDirectory = resolve(import.meta.dirname, '../..');
const administrator = { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey };
const remedy = 'start it with "npm start", or name a deployed stack with --stack NAME';

export async function connectToLocalGateway(environment: NodeJS.ProcessEnv): Promise<GatewayConnection> {
  const dataDirectory = environment.GATEWAY_DATA_DIRECTORY ?? join(projectDirectory, '.gateway');
  const facts = await readFacts(join(dataDirectory, 'local.json'));
  await requireReachable(facts.dynamodb_endpoint);
  const client = { region: facts.region, credentials: administrator };
  return openGateway({
    outputs: facts.outputs,
    source: 'The local gateway',
    dynamodb: { ...client, endpoint: facts.dynamodb_endpoint },
    secretsManager: { ...client, endpoint: facts.secretsmanager_endpoint },
    sqs: { ...client, endpoint: facts.sqs_endpoint },
    cloudWatchLogs: null,
  });
}

async function readFacts(file: string): Promise<LocalFacts> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    throw new AdminError(`There is no local gateway (${file} is missing): ${remedy}`);
  }
  const { success, data } = localFacts.safeParse(parseJson(text));
  if (!success) throw new AdminError(`${file} is damaged: stop the local gateway and start it again`);
  return data;
}

/** The file outlives a gateway that was killed. Any HTTP response will do. */
async function requireReachable(endpoint: string): Promise<void> {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(5000) });
    await response.body?.cancel();
  } catch {
    throw new AdminError(`The local gateway does not answer at ${endpoint}: ${remedy}`);
  }
}
