/** Scripts the responses of a fake Messages API behind the gateway. */
import type { Turn } from '../providers/anthropic/scripted-turns.ts';
import { type PlayedTurn, playTurns, type Script, type ScriptedGateway } from '../providers/script-turns.ts';

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

/** The usage of the simulated model. */
const simulated: Turn = { blocks: [], usage: { input_tokens: 19, output_tokens: 5 } };

/** Requests without tools, such as for a title, get the simulated model's response. */
export function scriptTurns(scripted: ScriptedGateway<ClaudeModel>, turns: readonly Turn[] = []): Script {
  return playTurns(scripted, turns, {
    operation: 'messages',
    simulated,
    entryOf: (played) => entryOf(scripted.model, played),
    play: (next) => {
      delete scripted.upstream.behaviour.nextCompletion;
      scripted.upstream.behaviour.nextTurn = ({ tools, stream }, requestId) =>
        next({ isScripted: tools !== undefined, stream: stream === true }, requestId);
    },
  });
}

function entryOf(model: ClaudeModel, { turn, stream }: PlayedTurn<Turn>) {
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
