/** Scripts the responses of a fake Messages API behind the gateway, and compares its requests with the gateway's log. */
import { expect } from 'vitest';
import type { LocalGateway } from '#local/local-gateway.ts';
import { eventually } from '../eventually.ts';
import type { Turn } from '../providers/anthropic/scripted-turns.ts';
import type { FakeProvider } from '../providers/fake-providers.ts';
import type { RecordedRequest } from '../providers/upstream-responses.ts';

/** Billionths of a dollar for each token: input, output, cache read, cache write. */
const rates = {
  'anthropic/claude-sonnet-4-5': [3000, 15_000, 300, 3750],
  'anthropic/claude-opus-4-8': [5000, 25_000, 500, 6250],
  // Models of a region cost a tenth more.
  'bedrock/us.anthropic.claude-opus-4-8': [5500, 27_500, 550, 6875],
  'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0': [3300, 16_500, 330, 4125],
} as const;

export type ClaudeModel = keyof typeof rates;
export const claudeModels = Object.keys(rates) as ClaudeModel[];

export interface Script {
  /** Those that the provider has received since. */
  requests(): RecordedRequest[];
  /**
   * Waits until the log has one entry for each request, and compares sessions, tokens and costs. `refused` is the number of
   * requests that the provider has found invalid, whose entries are not compared.
   */
  expectEntries(expected?: { sessionId?: string; refused?: number }): Promise<void>;
}

interface ScriptedGateway {
  gateway: Pick<LocalGateway, 'baseUrl' | 'apiKey'>;
  upstream: FakeProvider;
  model: ClaudeModel;
}

interface PlayedTurn {
  requestId: string;
  turn: Turn;
  stream: boolean;
}

/** The usage of the simulated model. */
const simulated: Turn = { blocks: [], usage: { input_tokens: 19, output_tokens: 5 } };

/** Requests without tools, such as for a title, get the simulated model's response, like those after the last turn. */
export function scriptTurns(
  { gateway, upstream, model }: ScriptedGateway,
  turns: readonly Turn[] = [],
): Script {
  const before = upstream.requests.length;
  const played: PlayedTurn[] = [];
  const remaining = [...turns];
  upstream.behaviour.nextTurn = ({ tools, stream }, requestId) => {
    const turn = tools === undefined ? undefined : remaining.shift();
    played.push({ requestId, turn: turn ?? simulated, stream: stream === true });
    return turn;
  };
  const requests = () => upstream.requests.slice(before);
  return {
    requests,
    async expectEntries({ sessionId = null, refused = 0 } = {}) {
      expect(remaining).toEqual([]);
      expect(played.length).toBeGreaterThan(0);
      expect(requests()).toHaveLength(played.length + refused);
      const expected = played.map((turn) => [
        expect.objectContaining({ session_id: sessionId, ...entryOf(model, turn) }),
      ]);
      await eventually(async () => {
        const response = await fetch(`${gateway.baseUrl}/api/logs?operation=messages&limit=1000`, {
          headers: { authorization: `Bearer ${gateway.apiKey}` },
        });
        const { data }: { data: Record<string, unknown>[] } = JSON.parse(await response.text());
        const entriesOf = ({ requestId }: PlayedTurn) =>
          data.filter(
            (entry) =>
              entry.provider_request_id === requestId && `${entry.provider}/${entry.model}` === model,
          );
        expect(played.map(entriesOf)).toEqual(expected);
      });
    },
  };
}

function entryOf(model: ClaudeModel, { turn, stream }: PlayedTurn) {
  if (!('blocks' in turn))
    return { stream, status: turn.status, outcome: 'provider_error', input_tokens: null, cost_usd: 0 };
  const isBroken = turn.broken !== undefined && stream;
  const { input_tokens: fresh } = turn.usage;
  const read = Number(turn.usage.cache_read_input_tokens ?? 0);
  const written = Number(turn.usage.cache_creation_input_tokens ?? 0);
  // The first twelve characters are all that the provider has sent of a broken stream.
  const output = isBroken ? 3 : turn.usage.output_tokens;
  const [inputRate, outputRate, readRate, writeRate] = rates[model];
  return {
    stream,
    status: 200,
    outcome: isBroken ? 'provider_error' : 'completed',
    input_tokens: fresh + read + written,
    output_tokens: output,
    cached_input_tokens: read,
    cache_write_input_tokens: written,
    usage_source: isBroken ? 'estimated' : 'provider',
    pricing: 'table',
    cost_usd: (fresh * inputRate + output * outputRate + read * readRate + written * writeRate) / 1e9,
  };
}
