/** Runs a scene, waits until nothing moves any more, and looks at what is left. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { Form } from '#test/support/test-form.ts';
import { audit, type Evidence, type Findings, wrongCosts } from './harness/audit.ts';
import { comesAbout } from './harness/eventually.ts';
import type { FaultEnvironment } from './harness/fault-environment.ts';
import type { Customer } from './harness/operator.ts';
import { well } from './harness/provider-answers.ts';
import { seededRandom } from './harness/random.ts';
import { recoverFromLog } from './harness/recover-from-log.ts';
import { type Effects, type Scene, setStage } from './scene.ts';

export interface Row extends Findings, Effects {
  fault: string;
  requests: number;
  seconds: number;
}

interface Play {
  world: FaultEnvironment;
  customer: Customer;
  scene: Scene;
  form: Form;
}

/** The longest that the gateway may take to put things in order. */
const patienceMs: Record<Form, number> = { short: 25_000, long: 120_000 };

export async function runScene(
  world: FaultEnvironment,
  { scene, form }: { scene: Scene; form: Form },
): Promise<Row> {
  const begunAt = Date.now();
  world.log.clear();
  world.provider.clear();
  const customer = await world.operator.newCustomer();
  const play = { world, customer, scene, form };
  const stage = setStage({ world, customer, form, random: seededRandom(scene.mark.length) }, scene);
  await scene.run(stage);
  await heal(world);
  const troubles = await settle(play);
  const found = await gatherEvidence(play);
  const effects = {
    ...effectsIn(found.entries),
    queued: stage.queued(),
    notWritten: world.log.notWritten.size,
  };
  if (scene.isFelt?.(effects) === false)
    troubles.push(`these are not the fault's effects: ${JSON.stringify(effects)}`);
  const findings = (await stage.played.findings?.()) ?? audit(found);
  return {
    fault: scene.fault,
    requests: stage.played.requests ?? stage.requests,
    ...effects,
    ...findings,
    wrong: [...troubles, ...findings.wrong],
    seconds: Math.round((Date.now() - begunAt) / 1000),
  };
}

function effectsIn(entries: readonly LogEntry[]): Pick<Effects, 'retries' | 'outcomes'> {
  const outcomes: Effects['outcomes'] = {};
  for (const { outcome } of entries) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return { retries: entries.reduce((sum, { retries }) => sum + (retries ?? 0), 0), outcomes };
}

async function heal({ dynamoDb, sqs, engine, provider }: FaultEnvironment): Promise<void> {
  provider.behaviour = well;
  await engine.start();
  await Promise.all([dynamoDb.set(null), sqs.set(null)]);
}

/** Returns what did not come to rest. */
async function settle(play: Play): Promise<string[]> {
  const { world, customer, scene, form } = play;
  const { provider, log, gateway, operator } = world;
  const queueUrl = gateway.facts.outputs.LostEntriesQueueUrl ?? '';
  const steps: [trouble: string, look: () => Promise<boolean> | boolean][] = [
    ['the provider still answers', () => provider.underWay() === 0],
    ['a chat function runs', async () => scene.killsChat !== true || (await world.kill('Chat')) === 0],
    ['entries wait in the queue', async () => (await operator.queueLength(queueUrl)) === 0],
    ['entries are missing', async () => (await missingMarks(play)).every((mark) => isInLog(play, mark))],
  ];
  const troubles: string[] = [];
  for (const [trouble, look] of steps) {
    if (!(await comesAbout(patienceMs[form], look))) troubles.push(trouble);
  }
  const isNeeded = log.notWritten.size > 0 || scene.killsChat === true;
  if (isNeeded && (await recoverFromLog(world)) !== 'all')
    troubles.push('the log was not recovered as a whole');
  const entries = await operator.entriesOf(customer);
  // What never comes to be counted is told by the audit. Totals are counted first, and are quickly asked for.
  const areCounted = async () =>
    wrongCosts({ entries, costs: await operator.costsOf(customer) }).length === 0 &&
    (await operator.wrongRowsOf(customer)) === 0;
  await comesAbout(patienceMs[form], areCounted);
  return troubles;
}

async function missingMarks({ world, customer }: Play): Promise<string[]> {
  const entries = await world.operator.entriesOf(customer);
  const known = new Set(entries.map(({ session_id }) => session_id));
  return [...world.provider.calls.keys()].filter((mark) => !known.has(mark));
}

function isInLog({ world: { log }, scene }: Play, mark: string): boolean {
  return log.notWritten.has(mark) || (scene.killsChat === true && log.announced.has(mark));
}

async function gatherEvidence({ world, customer }: Play): Promise<Evidence> {
  const { operator } = world;
  const [entries, costs, wrongRows] = await Promise.all([
    operator.entriesOf(customer),
    operator.costsOf(customer),
    operator.wrongRowsOf(customer),
  ]);
  return { calls: world.provider.calls, entries, costs, wrongRows };
}
