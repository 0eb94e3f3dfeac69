/** Finds the gateway that runs on this machine by the facts that it leaves in its data directory. */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { AdminError } from '../admin-error.ts';
import { type GatewayConnection, openGateway } from './gateway-connection.ts';

interface LocalFacts {
  dynamodb_endpoint: string;
  secretsmanager_endpoint: string;
  sqs_endpoint: string;
  region: string;
  outputs: Record<string, string>;
}

const projectDirectory = resolve(import.meta.dirname, '../..');
const administrator = { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey };
const advice = 'start it with "npm start", or name a deployed stack with --stack NAME';

export async function connectToLocalGateway(environment: NodeJS.ProcessEnv): Promise<GatewayConnection> {
  const dataDirectory = environment.GATEWAY_DATA_DIRECTORY ?? join(projectDirectory, '.gateway');
  const facts = await readFacts(join(dataDirectory, 'local.json'));
  await requireAnswer(facts.dynamodb_endpoint);
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
    throw new AdminError(`There is no local gateway (${file} is missing): ${advice}`);
  }
  const facts = parseFacts(text);
  if (facts === null) throw new AdminError(`${file} is damaged: stop the local gateway and start it again`);
  return facts;
}

function parseFacts(text: string): LocalFacts | null {
  let facts: Partial<LocalFacts> | null;
  try {
    facts = JSON.parse(text);
  } catch {
    return null;
  }
  const endpoints = [facts?.dynamodb_endpoint, facts?.secretsmanager_endpoint, facts?.sqs_endpoint];
  const texts = [...endpoints, facts?.region];
  const isComplete = texts.every((fact) => typeof fact === 'string') && typeof facts?.outputs === 'object';
  return isComplete ? (facts as LocalFacts) : null;
}

/** The facts outlive a gateway that was killed. Any HTTP answer will do. */
async function requireAnswer(endpoint: string): Promise<void> {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(5000) });
    await response.body?.cancel();
  } catch {
    throw new AdminError(`The local gateway does not answer at ${endpoint}: ${advice}`);
  }
}
