/** Has a function killed at each await of its work, a process for each. */
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { Form } from '#test/support/test-form.ts';
import { comesAbout } from '../harness/eventually.ts';
import type { Environment } from '../harness/fault-environment.ts';
import { startKillableFunction } from './killable-function.ts';
import { killingPoints } from './points.ts';

export interface EveryAwait {
  environment: Environment;
  form: Form;
  onLine: (line: string) => void;
  /** What the function is invoked with, all at once: other events for each point. Point 0 is a run to its end. */
  eventsFor(point: number): Promise<readonly object[]>;
}

const processesAtOnce = 3;

/** Resolves to the points at which it was killed. */
export async function killAtEveryAwait(settings: EveryAwait): Promise<number[]> {
  const { environment, form, onLine, eventsFor } = settings;
  const run = async (point: number): Promise<number | undefined> => {
    const killable = await startKillableFunction({ environment, killAt: point, onLine });
    await Promise.all((await eventsFor(point)).map(killable.invoke));
    if (point === 0) await comesAbout(10_000, () => killable.continuations() !== undefined);
    await killable.stop();
    return killable.continuations();
  };
  const continuations = await run(0);
  if (continuations === undefined) throw new Error('The function does not come to its end by itself');
  const points = killingPoints(continuations, form);
  await forEachConcurrently(points, processesAtOnce, async (point) => {
    await run(point);
  });
  return [0, ...points];
}
