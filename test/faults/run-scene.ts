/** Runs a scene, waits until nothing moves any more, and looks at what is left. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runAdminCommand } from '../support/admin-command.ts';
import { audit, type Evidence, type Findings } from './harness/audit.ts';
import { comesAbout } from './harness/eventually.ts';
import type { FaultWorld } from './harness/fault-world.ts';
import type { Customer, Operator } from './harness/operator.ts';
import { well } from './harness/provider-answers.ts';
import { seededRandom } from './harness/random.ts';
import { type Form, type Scene, setStage } from './scene.ts';

export interface Row extends Findings {
  fault: string;
  requests: number;
  seconds: number;
}

interface Play {
  world: FaultWorld;
  operator: Operator;
  customer: Customer;
  scene: Scene;
}

/** The longest that the gateway may take to put things in order: a message that was in hand comes back in a minute. */
const patienceMs = 150_000;

export async function runScene(
  world: FaultWorld,
  operator: Operator,
  { scene, form }: { scene: Scene; form: Form },
): Promise<Row> {
  const begunAt = Date.now();
  world.log.clear();
  world.provider.clear();
  world.provider.behaviour = well;
  const customer = await operator.newCustomer();
  const stage = setStage({ world, operator, customer, form, random: seededRandom(scene.mark.length) }, scene);
  await scene.run(stage);
  await heal(world);
  const troubles = await settle({ world, operator, customer, scene });
  const findings = audit(await evidence({ world, operator, customer, scene }));
  return {
    fault: scene.fault,
    requests: stage.requests,
    ...findings,
    wrong: [...troubles, ...findings.wrong],
    seconds: Math.round((Date.now() - begunAt) / 1000),
  };
}

async function heal({ dynamoDb, sqs, engine, provider }: FaultWorld): Promise<void> {
  provider.behaviour = well;
  await engine.start();
  await Promise.all([dynamoDb.set(null), sqs.set(null)]);
}

/** Returns what did not come to rest. */
async function settle(play: Play): Promise<string[]> {
  const { world, operator, scene } = play;
  const { provider, log, gateway } = world;
  const queueUrl = gateway.facts.outputs.LostEntriesQueueUrl ?? '';
  const steps: [what: string, look: () => Promise<boolean> | boolean][] = [
    ['the provider still answers', () => provider.underWay() === 0],
    ['a chat function runs on', async () => scene.killsChat !== true || (await world.kill('Chat')) > 0],
    ['entries wait in the queue', async () => (await operator.queueLength(queueUrl)) === 0],
    ['entries are missing', async () => (await missingMarks(play)).every((mark) => isInLog(play, mark))],
  ];
  const troubles: string[] = [];
  for (const [what, look] of steps) {
    if (!(await comesAbout(patienceMs, look))) troubles.push(what);
  }
  if (log.notWritten.size > 0 || scene.killsChat === true) await recover(world);
  const isCounted = async () => audit(await evidence(play)).wrong.every((text) => !text.startsWith('costs'));
  // What is wrong with them is said by the audit.
  await comesAbout(patienceMs, isCounted);
  return troubles;
}

async function missingMarks({ world, operator, customer }: Play): Promise<string[]> {
  const entries = await operator.entriesOf(customer);
  const known = new Set(entries.map(({ session_id }) => session_id));
  return [...world.provider.calls.keys()].filter((mark) => !known.has(mark));
}

function isInLog({ world: { log }, scene }: Play, mark: string): boolean {
  return log.notWritten.has(mark) || (scene.killsChat === true && log.announced.has(mark));
}

async function recover({ directory, log }: FaultWorld): Promise<void> {
  const file = join(directory, 'function.log');
  await writeFile(file, log.lines.map((line) => `${line}\n`).join(''));
  const { exitCode, stderr } = await runAdminCommand(['logs', 'recover', '--file', file, '--ended'], {
    environment: { GATEWAY_DATA_DIRECTORY: directory },
  });
  if (exitCode !== 0) throw new Error(`logs recover ended with ${exitCode}: ${stderr}`);
}

async function evidence({ world, operator, customer }: Play): Promise<Evidence> {
  const [entries, costs] = await Promise.all([operator.entriesOf(customer), operator.costsOf(customer)]);
  return { calls: world.provider.calls, entries, costs };
}
