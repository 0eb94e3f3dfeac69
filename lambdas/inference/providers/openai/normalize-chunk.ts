/** Normalizes the chunks of a stream, and holds back what depends on the chunks that follow. */
import { type ChatCall, expectedResult } from '#lambdas/inference/chat/body.ts';
import type { ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { sseEvent } from '../http/sse.ts';
import { createChoiceStates } from '../translation/choice-states.ts';
import type { CompletionIdentity } from '../translation/placeholders.ts';
import { type ChoiceProgress, choiceEdits, chunkUsageEdits, deltaOf, finalEdits } from './chunk-edits.ts';
import { applyJsonEdits, type JsonEdit, set } from './json-edits.ts';
import { envelopeEdits, identityOf } from './normalize-completion.ts';
import { createToolCallProgress } from './normalize-tool-calls.ts';
import { choiceIndex, choicesOf, hasContent } from './response-facts.ts';

export interface ParsedChunk {
  data: string;
  chunk: JsonObject;
  event: Buffer;
}

interface ChunkNormalizer {
  /**
   * Returns the unchanged event if it is valid; `null` for a chunk with a finish reason, which is held back, since content
   * may follow. Expects every chunk once, in order, with the usage reported so far.
   */
  normalize(parsed: ParsedChunk, usage: JsonObject | null): Buffer | null;
  /**
   * Holds back a chunk before the first one with choices, such as Azure's first, which has no id. Returns `false` for any
   * other chunk.
   */
  hold(parsed: ParsedChunk): boolean;
  /**
   * Returns the held chunks: the first ones with the id of the next chunk, and a finish reason only if the next chunk does
   * not continue its choice.
   */
  release(next: JsonObject): Buffer[];
  /** Returns the chunks that finish all choices with content, also those for which the provider has sent no reason. */
  finish(): Buffer[];
}

interface NormalizedChunk {
  parsed: ParsedChunk;
  edits: readonly JsonEdit[];
  /** The choices with a finish reason, by their position in the chunk. */
  finishes: ReadonlyMap<number, ChoiceProgress>;
}

/** Sets the facts about the choices, and `error` if one ended with a failure. */
export function createChunkNormalizer(call: ChatCall, facts: ReaderFacts): ChunkNormalizer {
  const states = createChoiceStates(call, expectedResult(call.request.body), facts);
  const choices = new Map<number, ChoiceProgress>();
  let identity: CompletionIdentity | null = null;
  let firstChunks: ParsedChunk[] = [];
  let finishChunk: NormalizedChunk | null = null;

  const progressOf = (index: number): ChoiceProgress => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const state = states.get(index);
    const toolCalls = createToolCallProgress(call, state);
    const progress = { state, started: false, finished: false, toolCalls };
    choices.set(index, progress);
    return progress;
  };
  const identify = (chunk: JsonObject): CompletionIdentity => {
    identity ??= identityOf(chunk, call);
    facts.responseId = identity.id;
    return identity;
  };
  const normalize = (parsed: ParsedChunk, usage: JsonObject | null): NormalizedChunk => {
    const { chunk } = parsed;
    const known = identify(chunk);
    const finishes = new Map<number, ChoiceProgress>();
    const edits = [
      ...envelopeEdits(chunk, { object: 'chat.completion.chunk', identity: known, credential: call.apiKey }),
      ...(Array.isArray(chunk.choices) ? [] : [set(['choices'], [])]),
    ];
    for (const [position, choice] of choicesOf(chunk).entries()) {
      if (!isJsonObject(choice)) continue;
      const progress = progressOf(choiceIndex(choice, position));
      const { edits: own, isFinish } = choiceEdits(choice, ['choices', position], { progress, states });
      edits.push(...own);
      if (isFinish) finishes.set(position, progress);
    }
    edits.push(...chunkUsageEdits(chunk, { usage, requested: call.request.includeUsage }));
    return { parsed, edits, finishes };
  };
  /** Releases the chunk with finish reasons, which are removed from the choices that go on. */
  const releaseFinish = (continued: readonly number[]): Buffer[] => {
    if (finishChunk === null) return [];
    const { parsed, edits, finishes } = finishChunk;
    finishChunk = null;
    const released = choicesOf(parsed.chunk);
    const own = [...finishes].flatMap(([position, progress]) => {
      const path = ['choices', position];
      return continued.includes(progress.state.index)
        ? [set([...path, 'finish_reason'], null)]
        : finalEdits(objectOrEmpty(released[position]), path, { progress, states });
    });
    return [toEvent({ parsed, edits: [...edits, ...own] })];
  };
  const toFinishEvent = (progress: ChoiceProgress): Buffer => {
    const choice = { index: progress.state.index, delta: {}, logprobs: null, finish_reason: null };
    const chunk = { ...identity, object: 'chat.completion.chunk', choices: [choice] };
    const parsed = { chunk, data: JSON.stringify(chunk), event: sseEvent(chunk) };
    return toEvent({ parsed, edits: finalEdits(choice, ['choices', 0], { progress, states }) });
  };

  return {
    normalize(parsed, usage) {
      const normalized = normalize(parsed, usage);
      if (normalized.finishes.size === 0) return toEvent(normalized);
      finishChunk = normalized;
      return null;
    },
    hold(parsed) {
      if (identity !== null || choicesOf(parsed.chunk).length > 0) return false;
      firstChunks.push(parsed);
      return true;
    },
    release(next) {
      if (finishChunk !== null) return releaseFinish(continuedChoices(next));
      if (firstChunks.length === 0) return [];
      identify(next);
      const released = firstChunks;
      firstChunks = [];
      return released.map((parsed) => toEvent(normalize(parsed, null)));
    },
    finish() {
      states.finishOpen();
      const released = releaseFinish([]);
      const unfinished = [...choices.values()].filter(({ state, finished }) => state.finish && !finished);
      return [...released, ...unfinished.map(toFinishEvent)];
    },
  };
}

function toEvent({ parsed, edits }: Pick<NormalizedChunk, 'parsed' | 'edits'>): Buffer {
  return edits.length === 0 ? parsed.event : Buffer.from(`data: ${applyJsonEdits(parsed.data, edits)}\n\n`);
}

/** The choices for which a chunk has content or a finish reason, which may be another one. */
function continuedChoices(chunk: JsonObject): number[] {
  return choicesOf(chunk).flatMap((choice, position) => {
    const isContinued =
      isJsonObject(choice) && (hasContent(deltaOf(choice)) || Boolean(choice.finish_reason));
    return isContinued ? [choiceIndex(choice, position)] : [];
  });
}
