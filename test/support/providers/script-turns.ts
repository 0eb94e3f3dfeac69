/** Scripts the responses of a fake provider behind the gateway, and compares its requests with the gateway's log. */
import { expect } from 'vitest';
import type { LocalGateway } from '#local/local-gateway.ts';
import { eventually } from '../eventually.ts';
import type { FakeProvider } from './fake-providers.ts';
import type { RecordedRequest } from './upstream-responses.ts';

export interface Script {
  /** Requests that the provider has received since. */
  requests(): RecordedRequest[];
  /**
   * Waits until the log has one entry for each request, and compares sessions, tokens and costs. `refused` is the number of
   * requests that the provider has found invalid, whose entries are not compared.
   */
  expectEntries(expected?: { sessionId?: string; refused?: number }): Promise<void>;
}

export interface ScriptedGateway<Model extends string> {
  gateway: Pick<LocalGateway, 'baseUrl' | 'apiKey'>;
  upstream: FakeProvider;
  model: Model;
}

export interface PlayedTurn<Turn> {
  requestId: string;
  turn: Turn;
  stream: boolean;
}

interface PlayedApi<Turn> {
  operation: 'messages' | 'responses';
  /** The turn of the simulated model. */
  simulated: Turn;
  /** False if the provider's responses have no ids by which the entries could be told apart. Default: true. */
  hasRequestIds?: boolean;
  /** The fields of the log entry; null if the gateway repeats the request, which has one entry. */
  entryOf(played: PlayedTurn<Turn>): object | null;
  /** Makes the provider ask for the next turn of a request. */
  play(
    next: (request: { isScripted: boolean; stream: boolean }, requestId: string) => Turn | undefined,
  ): void;
}

/** Requests that are not scripted get the simulated model's response, like those after the last turn. */
export function playTurns<Turn>(
  { gateway, upstream, model }: ScriptedGateway<string>,
  turns: readonly Turn[],
  { operation, simulated, hasRequestIds = true, entryOf, play }: PlayedApi<Turn>,
): Script {
  const before = upstream.requests.length;
  const startedAtMs = Date.now();
  const played: PlayedTurn<Turn>[] = [];
  const remaining = [...turns];
  play(({ isScripted, stream }, requestId) => {
    const turn = isScripted ? remaining.shift() : undefined;
    played.push({ requestId, turn: turn ?? simulated, stream });
    return turn;
  });
  const requests = () => upstream.requests.slice(before);
  return {
    requests,
    async expectEntries({ sessionId = null, refused = 0 } = {}) {
      expect(remaining).toEqual([]);
      expect(played.length).toBeGreaterThan(0);
      expect(requests()).toHaveLength(played.length + refused);
      const expected = played.map((turn) => {
        const fields = entryOf(turn);
        return fields === null ? [] : [expect.objectContaining({ session_id: sessionId, ...fields })];
      });
      await eventually(async () => {
        const response = await fetch(`${gateway.baseUrl}/api/logs?operation=${operation}&limit=1000`, {
          headers: { authorization: `Bearer ${gateway.apiKey}` },
        });
        const { data }: { data: Record<string, unknown>[] } = JSON.parse(await response.text());
        const entries = data.filter(
          (entry) =>
            `${entry.provider}/${entry.model}` === model &&
            // The provider has not received it.
            entry.outcome !== 'rejected' &&
            Date.parse(String(entry.created_at)) >= startedAtMs,
        );
        if (!hasRequestIds) {
          expect(entries).toHaveLength(played.length + refused);
          expect(entries).toEqual(expect.arrayContaining(expected.flat()));
          return;
        }
        const entriesOf = ({ requestId }: PlayedTurn<Turn>) =>
          entries.filter((entry) => entry.provider_request_id === requestId);
        expect(played.map(entriesOf)).toEqual(expected);
      });
    },
  };
}
