/** Scripts the responses of a fake Responses API behind the gateway. */
import { expect } from 'vitest';
import type { Turn } from '../providers/openai/responses/turns.ts';
import { type PlayedTurn, playTurns, type Script, type ScriptedGateway } from '../providers/script-turns.ts';

/** Billionths of a dollar for each token: input, output, cache read, cache write. */
const rates = {
  'openai/gpt-5.4': [2500, 15_000, 250, 0],
  'openai/gpt-5.5': [5000, 30_000, 500, 0],
  'openai/gpt-5.5-pro': [30_000, 180_000, 30_000, 0],
  'openai/gpt-5.6-terra': [2000, 12_000, 200, 2500],
  'azure/gpt-5.4': [2500, 15_000, 250, 0],
  'azure/gpt-5.5': [5000, 30_000, 500, 0],
} as const;

export type ResponsesModel = keyof typeof rates;

/** The usage of the simulated model. */
const simulated: Turn = { items: [], usage: { input: 19, output: 5 } };

interface ScriptOptions {
  /** The operation by which callers use the API. Default: its own. */
  operation?: 'messages' | 'responses';
  /** Whether requests without tools, such as for a title, get the simulated model's response. */
  onlyWithTools?: boolean;
}

export function scriptResponses(
  scripted: ScriptedGateway<ResponsesModel>,
  turns: readonly Turn[] = [],
  { onlyWithTools = false, operation = 'responses' }: ScriptOptions = {},
): Script {
  return playTurns(scripted, turns, {
    operation,
    simulated,
    entryOf: (played) => entryOf(scripted.model, played),
    play: (next) => {
      delete scripted.upstream.behaviour.nextCompletion;
      scripted.upstream.behaviour.nextResponse = ({ tools, stream }, requestId) =>
        next({ isScripted: tools !== undefined || !onlyWithTools, stream: stream === true }, requestId);
    },
  });
}

function entryOf(model: ResponsesModel, { turn, stream }: PlayedTurn<Turn>): object | null {
  if (!('items' in turn) && turn.headers?.['retry-after-ms'] !== undefined) return null;
  if (!('items' in turn))
    return { stream, status: turn.status, outcome: 'provider_error', input_tokens: null, cost_usd: 0 };
  // The only usage is that of the last event.
  if (turn.failure !== undefined || (turn.broken !== undefined && stream))
    return {
      stream,
      status: 200,
      outcome: 'provider_error',
      usage_source: 'estimated',
      pricing: 'table',
      cost_usd: expect.any(Number),
    };
  const { input, output, cached = 0, cacheWrite = 0, reasoning = 0 } = turn.usage;
  const fresh = input - cached - cacheWrite;
  const [inputRate, outputRate, readRate, writeRate] = rates[model];
  return {
    stream,
    status: 200,
    outcome: 'completed',
    input_tokens: input,
    output_tokens: output,
    cached_input_tokens: cached,
    cache_write_input_tokens: cacheWrite,
    reasoning_tokens: reasoning,
    usage_source: 'provider',
    pricing: 'table',
    cost_usd: (fresh * inputRate + output * outputRate + cached * readRate + cacheWrite * writeRate) / 1e9,
  };
}
