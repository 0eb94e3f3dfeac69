/**
 * What a model says through Converse, put into OpenAI's format piece by piece: by the events of a stream, which a whole
 * answer is taken apart into.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
import { isJsonObject, type JsonObject, objectOf, objectsIn, textOf } from '#lambdas/platform/json/json.ts';
import { noUsage, readTokenCount, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { createThinkingBlocks, type ThinkingBlocks } from '../translation/claude.ts';
import type { ChoiceSink, CompletionSink, FinishReason, ToolCallSink } from '../translation/sink.ts';
export interface ConverseReader {
  /** Events that say nothing of the answer, and those of the future, are passed over. */
  read(type: string, payload: JsonObject): void;
  /** Whether both the reason for the end and the usage have come, in whatever order. */
  isComplete(): boolean;
}

/** A block that has begun. */
type OpenBlock =
  | { kind: 'thought'; text: string; signature: string }
  | { kind: 'call'; call: ToolCallSink }
  /** The call of a tool whose arguments are the answer. */
  | { kind: 'answer'; isEmpty: boolean };

export interface ReaderOptions {
  sink: CompletionSink;
  /** The tool whose arguments are the answer. */
  answerTool: string | null;
}

/** Where the parts of the answer go, and what is known of it so far. */
interface Output {
  choice: ChoiceSink;
  thoughts: ThinkingBlocks;
  answerTool: string | null;
  /** What is said beside an answer in JSON is no part of it, unless it is all that there is: a guardrail's words, say. */
  held: string;
  called: boolean;
  /** By their index. */
  open: Map<unknown, OpenBlock>;
}

export function createConverseReader({ sink, answerTool }: ReaderOptions): ConverseReader {
  const choice = sink.choice(0);
  const thoughts = createThinkingBlocks(choice);
  const output: Output = { choice, thoughts, answerTool, held: '', called: false, open: new Map() };
  const said = { finish: false, usage: false };

  return {
    read(type, payload) {
      const { contentBlockIndex: index } = payload;
      switch (type) {
        case 'messageStart':
          choice.begin();
          break;
        case 'contentBlockStart':
          startBlock(output, index, objectOf(payload.start));
          break;
        case 'contentBlockDelta':
          readDelta(output, index, objectOf(payload.delta));
          break;
        case 'contentBlockStop':
          endBlock(output, index);
          break;
        case 'messageStop':
          if (!output.called) choice.text(output.held);
          choice.finish(finishReasons[textOf(payload.stopReason)] ?? 'stop');
          said.finish = true;
          break;
        case 'metadata':
          readMetadata(sink, payload);
          said.usage = true;
      }
    },
    isComplete: () => said.finish && said.usage,
  };
}

/** What Bedrock calls itself (`server_tool_use`), and what comes of it, is its own business. */
function startBlock(output: Output, index: unknown, { toolUse }: JsonObject): void {
  if (!isJsonObject(toolUse)) return;
  const { choice, answerTool, open } = output;
  const { toolUseId, name, type } = toolUse;
  output.thoughts.end();
  if (type === 'server_tool_use') return;
  output.called = true;
  if (name === answerTool) open.set(index, { kind: 'answer', isEmpty: true });
  else
    open.set(index, { kind: 'call', call: choice.toolCall({ id: textOf(toolUseId), name: textOf(name) }) });
}

/** Citations say where a text is from; the text itself comes beside them. */
function readDelta(output: Output, index: unknown, { text, toolUse, reasoningContent }: JsonObject): void {
  sayText(output, textOf(text));
  if (isJsonObject(reasoningContent)) readThought(output, index, reasoningContent);
  const block = output.open.get(index);
  const input = isJsonObject(toolUse) ? textOf(toolUse.input) : '';
  if (block?.kind === 'call') block.call.arguments(input);
  if (block?.kind !== 'answer') return;
  block.isEmpty &&= input === '';
  output.choice.text(input);
}

/** A text of blanks is not sent back, so that it parts no thoughts. */
function sayText(output: Output, text: string): void {
  if (text.trim() !== '') output.thoughts.end();
  if (output.answerTool === null) output.choice.text(text);
  else output.held += text;
}

function readThought(
  { choice, thoughts, open }: Output,
  index: unknown,
  { text, signature, redactedContent }: JsonObject,
): void {
  const data = textOf(redactedContent);
  if (data !== '') {
    thoughts.put({ type: 'redacted_thinking', data });
    return;
  }
  const known = open.get(index);
  const thought = known?.kind === 'thought' ? known : { kind: 'thought' as const, text: '', signature: '' };
  thought.text += textOf(text);
  thought.signature += textOf(signature);
  open.set(index, thought);
  choice.reasoning(textOf(text));
}

/** An answer without properties gets no arguments at all. */
function endBlock({ choice, thoughts, open }: Output, index: unknown): void {
  const block = open.get(index);
  open.delete(index);
  if (block?.kind === 'answer' && block.isEmpty) choice.text('{}');
  if (block?.kind !== 'thought') return;
  const { text: thinking, signature } = block;
  thoughts.put({ type: 'thinking', thinking, signature });
}

/** A prompt router tells which model it took. */
function readMetadata(sink: CompletionSink, { usage, trace }: JsonObject): void {
  const tokens = usageOf(usage);
  if (tokens !== null) sink.usage(tokens);
  const { invokedModelId } = objectOf(objectOf(trace).promptRouter);
  if (typeof invokedModelId === 'string') sink.identify({ model: invokedModelId });
}

/**
 * Whatever else ended the answer (its own end, a stop sequence) is a stop; with `malformed_tool_use` there is no call.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_MessageStopEvent.html
 */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  // Claude's own, which is not in the list.
  refusal: 'content_filter',
};

// A whole answer of Converse as the events that it would have come in.

export function eventsOfAnswer({ output, stopReason, usage, trace }: JsonObject): [string, JsonObject][] {
  const { content } = objectOf(objectOf(output).message);
  const blocks = objectsIn(content);
  return [
    ['messageStart', {}],
    ...blocks.flatMap((block, index) => eventsOfBlock(block, index)),
    ['messageStop', { stopReason }],
    ['metadata', { usage, trace }],
  ];
}

function eventsOfBlock(block: JsonObject, contentBlockIndex: number): [string, JsonObject][] {
  const delta = (delta: JsonObject): [string, JsonObject] => [
    'contentBlockDelta',
    { contentBlockIndex, delta },
  ];
  const { text, toolUse } = block;
  const { reasoningText, redactedContent } = objectOf(block.reasoningContent);
  const { content: cited } = objectOf(block.citationsContent);
  const events: [string, JsonObject][] = [];
  if (typeof text === 'string') events.push(delta({ text }));
  events.push(...objectsIn(cited).map(delta));
  if (isJsonObject(reasoningText)) events.push(delta({ reasoningContent: reasoningText }));
  if (redactedContent !== undefined) events.push(delta({ reasoningContent: { redactedContent } }));
  if (isJsonObject(toolUse)) {
    events.push(['contentBlockStart', { contentBlockIndex, start: { toolUse } }]);
    events.push(delta({ toolUse: { input: JSON.stringify(toolUse.input ?? {}) } }));
  }
  return [...events, ['contentBlockStop', { contentBlockIndex }]];
}

// Token counts of Converse. Input, cache reads and cache writes do not overlap; thinking is part of the output, and
// nobody tells how much of it. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html

/** `null` when nothing was counted. */
export function usageOf(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const input = readTokenCount(usage.inputTokens);
  const output = readTokenCount(usage.outputTokens);
  if (input === null && output === null) return null;
  return {
    ...noUsage,
    freshInputTokens: input ?? 0,
    cachedInputTokens: readTokenCount(usage.cacheReadInputTokens) ?? 0,
    ...cacheWrites(usage),
    outputTokens: output ?? 0,
  };
}

/** The total, and of it what was written for an hour; the rest was written for five minutes. */
function cacheWrites({ cacheWriteInputTokens, cacheDetails }: JsonObject) {
  const details = objectsIn(cacheDetails);
  const sum = (ttl: string) =>
    details
      .filter((detail) => detail.ttl === ttl)
      .reduce((total, { inputTokens }) => total + (readTokenCount(inputTokens) ?? 0), 0);
  const hour = sum('1h');
  const total = readTokenCount(cacheWriteInputTokens) ?? hour + sum('5m');
  const cacheWrite1hInputTokens = Math.min(hour, total);
  return { cacheWriteInputTokens: total - cacheWrite1hInputTokens, cacheWrite1hInputTokens };
}
