/** Connects to the gateway that `npm start` runs on this machine, through the file it writes to its data directory. */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { AdminError } from '../errors.ts';
import { type GatewayConnection, openGateway } from './gateway-connection.ts';

const localGatewayInfo = z.object({
  dynamodb_endpoint: z.url(),
  secretsmanager_endpoint: z.url(),
  sqs_endpoint: z.url(),
  sts_endpoint: z.url(),
  ses_endpoint: z.url(),
  region: z.string().min(1),
  outputs: z.record(z.string(), z.string()),
});

type LocalGatewayInfo = z.output<typeof localGatewayInfo>;

const projectDirectory = resolve(import.meta.dirname, '../..');
const administrator = { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey };
const remedy = 'start it with "npm start", or select a deployed stack with --stack NAME';

export async function connectToLocalGateway(environment: NodeJS.ProcessEnv): Promise<GatewayConnection> {
  const dataDirectory = environment.GATEWAY_DATA_DIRECTORY ?? join(projectDirectory, '.gateway');
  const info = await readInfo(join(dataDirectory, 'local.json'));
  await requireReachable(info.dynamodb_endpoint);
  const client = { region: info.region, credentials: administrator };
  return openGateway({
    outputs: info.outputs,
    source: 'The local gateway',
    dynamodb: { ...client, endpoint: info.dynamodb_endpoint },
    secretsManager: { ...client, endpoint: info.secretsmanager_endpoint },
    sqs: { ...client, endpoint: info.sqs_endpoint },
    sts: { ...client, endpoint: info.sts_endpoint },
    ses: { ...client, endpoint: info.ses_endpoint },
    cloudWatchLogs: null,
  });
}

async function readInfo(file: string): Promise<LocalGatewayInfo> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    throw new AdminError(`No local gateway was found (${file} does not exist): ${remedy}`);
  }
  const { success, data } = localGatewayInfo.safeParse(parseJson(text));
  if (!success) throw new AdminError(`${file} is invalid: restart the local gateway`);
  return data;
}

/** Accepts any HTTP response. Needed because `local.json` remains when the gateway is killed. */
async function requireReachable(endpoint: string): Promise<void> {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(5000) });
    await response.body?.cancel();
  } catch {
    throw new AdminError(`The local gateway does not respond at ${endpoint}: ${remedy}`);
  }
}
