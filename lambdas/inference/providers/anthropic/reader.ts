/**
 * Translates Claude's messages to OpenAI's format. Handles a non-streaming message by converting it to the events of a
 * stream.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { cacheWriteUsage, noUsage, readTokenCount, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { createThinkingBlockWriter, type ThinkingBlockWriter } from '../translation/claude.ts';
import type { ChoiceSink, CompletionSink, FinishReason, ToolCallSink } from '../translation/sink.ts';

export interface MessageReader {
  read(event: JsonObject): void;
}

type OpenBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; call: ToolCallSink; input: unknown; hasArguments: boolean };

interface Output {
  choice: ChoiceSink;
  thinkingBlocks: ThinkingBlockWriter;
}

export function createMessageReader(sink: CompletionSink): MessageReader {
  const choice = sink.choice(0);
  const output: Output = { choice, thinkingBlocks: createThinkingBlockWriter(choice) };
  const openBlocks = new Map<unknown, OpenBlock>();
  const addUsage = createUsageCounter(sink);
  let hasContent = false;
  const start = (index: unknown, content: JsonObject) => {
    hasContent = true;
    const block = startBlock(output, content);
    if (block !== null) openBlocks.set(index, block);
  };

  return {
    read(event) {
      switch (event.type) {
        case 'message_start': {
          const message = objectOrEmpty(event.message);
          sink.identify({ id: stringOrEmpty(message.id), model: stringOrEmpty(message.model) });
          addUsage(message.usage);
          choice.begin();
          break;
        }
        case 'content_block_start':
          start(event.index, objectOrEmpty(event.content_block));
          break;
        case 'content_block_delta':
          readDelta(output, objectOrEmpty(event.delta), openBlocks.get(event.index));
          break;
        case 'content_block_stop':
          endBlock(output, openBlocks.get(event.index));
          break;
        case 'message_delta':
          addUsage(event.usage);
          endMessage({ sink, choice, messageDelta: objectOrEmpty(event.delta), hasContent });
      }
    },
  };
}

/** Several events of a stream may contain parts of the usage; later counts replace earlier ones. */
function createUsageCounter(sink: CompletionSink): (part: unknown) => void {
  let usage: JsonObject = {};
  return (part) => {
    usage = mergeUsage(usage, part);
    const tokens = readUsage(usage);
    if (tokens !== null) sink.usage(tokens);
  };
}

/** Omits blocks other than text, thinking and calls of the caller's tools, for example search results. */
function startBlock({ choice, thinkingBlocks }: Output, block: JsonObject): OpenBlock | null {
  switch (block.type) {
    case 'text':
      writeText({ choice, thinkingBlocks }, block.text);
      return null;
    case 'thinking':
      choice.reasoning(stringOrEmpty(block.thinking));
      return {
        type: 'thinking',
        thinking: stringOrEmpty(block.thinking),
        signature: stringOrEmpty(block.signature),
      };
    case 'redacted_thinking':
      thinkingBlocks.write({ type: 'redacted_thinking', data: stringOrEmpty(block.data) });
      return null;
    case 'tool_use': {
      thinkingBlocks.end();
      const call = choice.toolCall({ id: stringOrEmpty(block.id), name: stringOrEmpty(block.name) });
      return { type: 'tool_use', call, input: block.input, hasArguments: false };
    }
    default:
      thinkingBlocks.end();
      return null;
  }
}

function readDelta(output: Output, delta: JsonObject, block: OpenBlock | undefined): void {
  switch (delta.type) {
    case 'text_delta':
      writeText(output, delta.text);
      break;
    case 'thinking_delta':
      output.choice.reasoning(stringOrEmpty(delta.thinking));
      if (block?.type === 'thinking') block.thinking += stringOrEmpty(delta.thinking);
      break;
    case 'signature_delta':
      if (block?.type === 'thinking') block.signature += stringOrEmpty(delta.signature);
      break;
    case 'input_json_delta':
      if (block?.type !== 'tool_use') break;
      block.hasArguments ||= stringOrEmpty(delta.partial_json) !== '';
      block.call.arguments(stringOrEmpty(delta.partial_json));
  }
}

/** A tool call without argument deltas has its input in the start of the block, or none. */
function endBlock({ thinkingBlocks }: Output, block: OpenBlock | undefined): void {
  switch (block?.type) {
    case undefined:
      break;
    case 'thinking':
      thinkingBlocks.write(block);
      break;
    case 'tool_use':
      if (!block.hasArguments) block.call.arguments(inputText(block.input));
      break;
    default:
      block satisfies never;
  }
}

/** Returns an empty string for an empty input, since a truncated input looks the same. */
function inputText(input: unknown): string {
  return isJsonObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
}

/** Blank text does not end the thinking blocks, since it is omitted when the message is sent back. */
function writeText({ choice, thinkingBlocks }: Output, text: unknown): void {
  choice.text(stringOrEmpty(text));
  if (stringOrEmpty(text).trim() !== '') thinkingBlocks.end();
}

interface MessageEnd {
  sink: CompletionSink;
  choice: ChoiceSink;
  messageDelta: JsonObject;
  hasContent: boolean;
}

/** https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
function endMessage({ sink, choice, messageDelta, hasContent }: MessageEnd): void {
  const reason = stringOrEmpty(messageDelta.stop_reason);
  if (reason === '') return;
  const details = objectOrEmpty(messageDelta.stop_details);
  if (reason === 'refusal') {
    choice.refusal(stringOrEmpty(details.explanation));
    if (!hasContent && !billedRefusals.includes(stringOrEmpty(details.category))) sink.reportedCost('0');
  }
  choice.finish(finishReasons[reason] ?? 'stop');
}

/**
 * The only categories of refusals that are charged without output.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#how-refusals-are-billed
 */
const billedRefusals = ['bio', 'frontier_llm', 'reasoning_extraction'];

/** `pause_turn` asks the client to send the response back to continue, for which OpenAI has no equivalent. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

function mergeUsage(earlier: JsonObject, later: unknown): JsonObject {
  if (!isJsonObject(later)) return earlier;
  const counted = Object.entries(later).filter(([, value]) => value !== null);
  return { ...earlier, ...Object.fromEntries(counted) };
}

/**
 * Input, cache reads and cache writes do not overlap; thinking is part of the output.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
function readUsage(usage: JsonObject): TokenUsage | null {
  const input = readTokenCount(usage.input_tokens);
  const output = readTokenCount(usage.output_tokens);
  if (input === null && output === null) return null;
  const details = objectOrEmpty(usage.output_tokens_details);
  const cacheWrites = objectOrEmpty(usage.cache_creation);
  const tools = objectOrEmpty(usage.server_tool_use);
  const searches = readTokenCount(tools.web_search_requests) ?? 0;
  const compaction = compactionTokens(usage.iterations);
  const outputTokens = (output ?? 0) + compaction.output;
  return {
    ...noUsage,
    freshInputTokens: (input ?? 0) + compaction.input,
    cachedInputTokens: readTokenCount(usage.cache_read_input_tokens) ?? 0,
    ...cacheWriteUsage({
      total: readTokenCount(usage.cache_creation_input_tokens),
      fiveMinutes: readTokenCount(cacheWrites.ephemeral_5m_input_tokens) ?? 0,
      hour: readTokenCount(cacheWrites.ephemeral_1h_input_tokens) ?? 0,
    }),
    outputTokens,
    reasoningTokens: Math.min(readTokenCount(details.thinking_tokens) ?? 0, outputTokens),
    ...(searches > 0 && { webSearches: searches }),
  };
}

/**
 * The totals do not include the tokens that the API used for compaction.
 * https://platform.claude.com/docs/en/build-with-claude/compaction#understanding-usage
 */
function compactionTokens(iterations: unknown): { input: number; output: number } {
  const compactions = filterObjects(iterations).filter(({ type }) => type === 'compaction');
  const sum = (name: string) =>
    compactions.reduce((total, compaction) => total + (readTokenCount(compaction[name]) ?? 0), 0);
  return { input: sum('input_tokens'), output: sum('output_tokens') };
}

export function toStreamEvents(message: JsonObject): JsonObject[] {
  const { content, usage, stop_reason, stop_details } = message;
  return [
    { type: 'message_start', message },
    ...filterObjects(content).flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop_reason ?? 'end_turn', stop_details }, usage },
  ];
}
