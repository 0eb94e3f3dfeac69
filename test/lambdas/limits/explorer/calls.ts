/** The ways in which a call of a program can end. */
import type { MemoryTable } from '#test/support/dynamodb/memory/table.ts';
import type { State } from './model.ts';
import type { Outcome, TableCall } from './process.ts';

/** The effect and the result of a call. */
type CallMode = 'made' | 'not made' | 'made without a response' | 'made twice';

class CallFailedError extends Error {}

export function isInjected(error: unknown): boolean {
  return error instanceof CallFailedError;
}

export function modesOf({ isRepeated }: TableCall, { left }: State): CallMode[] {
  if (left.failures === 0) return ['made'];
  return ['made', 'not made', 'made without a response', ...(isRepeated ? (['made twice'] as const) : [])];
}

/** `null` if the mode makes no difference. */
export async function makeCall(
  memory: MemoryTable,
  { table, left }: State,
  { execute }: TableCall,
  mode: CallMode,
): Promise<(Pick<State, 'table' | 'left'> & { outcome: Outcome }) | null> {
  const failures = left.failures - (mode === 'made' ? 0 : 1);
  const changed = { left: { ...left, failures } };
  if (mode === 'not made') return { ...changed, table, outcome: { error: new CallFailedError(mode) } };
  memory.restore(table);
  const execution = async (): Promise<Outcome> =>
    execute().then(
      (value) => ({ value }),
      (error: Error) => ({ error }),
    );
  let outcome = await execution();
  if (mode !== 'made' && memory.snapshot() === table) return null;
  if (mode === 'made twice') outcome = await execution();
  if (mode === 'made without a response') outcome = { error: new CallFailedError(mode) };
  return { ...changed, table: memory.snapshot(), outcome };
}

export function after(state: State, action: string, changes: Partial<State>): State {
  return { ...state, ...changes, before: state, action };
}
