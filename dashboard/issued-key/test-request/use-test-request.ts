import { useEffect, useReducer, useRef } from 'react';
import { ApiError, post, postForResponse } from '#dashboard/api/client.ts';
import type { TestEntry } from '#lambdas/accounts/test-request/responses.ts';
import { readCompletion, readServerSentEvents } from './completion-stream.ts';
import { abortableDelay, loadTestEntry } from './test-entry.ts';

export interface TestRequestState {
  phase: 'idle' | 'sending' | 'thinking' | 'streaming' | 'finished' | 'failed';
  text: string;
  error: { message: string; status: number | null } | null;
  /** The log entry of the last request; `missing` if it is not written in time. */
  entry: TestEntry | 'loading' | 'missing' | null;
}

const initialState: TestRequestState = { phase: 'idle', text: '', error: null, entry: null };

type Change = Partial<TestRequestState> | { append: string };

function reduce(state: TestRequestState, change: Change): TestRequestState {
  return 'append' in change
    ? { ...state, phase: 'streaming', text: state.text + change.append }
    : { ...state, ...change };
}

/** Sends requests with a key through the gateway, one at a time. What is in flight ends with the component. */
export function useTestRequest(organizationId: string, apiKey: string) {
  const [state, change] = useReducer(reduce, initialState);
  const inFlight = useRef<AbortController | null>(null);
  useEffect(() => () => inFlight.current?.abort(), []);

  const send = async (model: string) => {
    inFlight.current?.abort();
    const controller = new AbortController();
    inFlight.current = controller;
    const { signal } = controller;
    const apply = (next: Change) => signal.aborted || change(next);
    const key = { organization_id: organizationId, api_key: apiKey };

    apply({ ...initialState, phase: 'sending' });
    try {
      const response = await postForResponse('/test-requests', { ...key, model }, signal);
      const id = response.headers.get('x-gateway-request-id');
      try {
        await stream(response, apply);
        apply({ phase: 'finished' });
      } finally {
        if (id !== null) void showEntry({ ...key, id }, signal, apply);
      }
    } catch (error) {
      apply({ phase: 'failed', error: describe(error) });
    }
  };
  return { state, send };
}

async function stream(response: Response, apply: (change: Change) => void): Promise<void> {
  if (response.body === null) return;
  for await (const delta of readCompletion(readServerSentEvents(response.body))) {
    if (delta.kind === 'text') apply({ append: delta.text });
    else apply({ phase: 'thinking' });
  }
}

async function showEntry(
  body: { organization_id: string; api_key: string; id: string },
  signal: AbortSignal,
  apply: (change: Change) => void,
): Promise<void> {
  apply({ entry: 'loading' });
  const load = () => post('/test-requests/entry', body);
  // The response is what matters: if its entry cannot be loaded, it is only missing.
  const entry = await loadTestEntry(load, abortableDelay(signal)).catch(() => null);
  apply({ entry: entry ?? 'missing' });
}

function describe(error: unknown): TestRequestState['error'] {
  const status = error instanceof ApiError && error.status > 0 ? error.status : null;
  return { message: error instanceof Error ? error.message : String(error), status };
}
