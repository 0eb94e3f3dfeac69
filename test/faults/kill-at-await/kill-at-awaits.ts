/** Kills a function at the awaits of an invocation, in a new process each time. */
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { TestForm } from '#test/support/test-form.ts';
import type { EnvironmentVariables } from '../support/fault-fixture.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startKillableFunction } from './killable-function.ts';

export interface KillAtAwaitsOptions {
  environment: EnvironmentVariables;
  form: TestForm;
  onLine: (line: string) => void;
  /** Kill points of the short form. Default: 6. */
  shortPoints?: number;
  /** Creates the events of the concurrent invocations for a kill point. Point 0 is a run without a kill. */
  createEvents(point: number): Promise<readonly object[]>;
}

const maxConcurrentProcesses = 3;

/** A call of the AWS SDK has dozens of continuations, so the rollup function has thousands. */
const longPoints = 450;

/** Resolves to the kill points, 0 included. */
export async function killAtAwaits(settings: KillAtAwaitsOptions): Promise<number[]> {
  const { environment, form, onLine, createEvents, shortPoints = 6 } = settings;
  const run = async (point: number): Promise<number | undefined> => {
    const killable = await startKillableFunction({ environment, killAt: point, onLine });
    await Promise.all((await createEvents(point)).map(killable.invoke));
    if (point === 0) await waitUntil(10_000, () => killable.continuations() !== undefined);
    await killable.stop();
    return killable.continuations();
  };
  const continuations = await run(0);
  if (continuations === undefined) throw new Error('The function did not end within 10 seconds');
  const points = selectKillPoints(continuations, form === 'short' ? shortPoints : longPoints);
  await forEachConcurrently(points, maxConcurrentProcesses, async (point) => {
    await run(point);
  });
  return [0, ...points];
}

/** Continuations from 1, evenly distributed. */
function selectKillPoints(continuations: number, maxCount: number): number[] {
  const count = Math.min(continuations, maxCount);
  const distance = continuations / count;
  return Array.from({ length: count }, (_, index) => Math.ceil((index + 0.5) * distance));
}
