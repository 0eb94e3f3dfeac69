/** Builds a non-streaming response in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/object */
import { isOver, type ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { defaultArguments, type FinishReason } from '#lambdas/inference/completion/finish-reasons.ts';
import type { AudioDelta, ChoiceSink, CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import type { ProviderCall } from '#lambdas/inference/providers/provider.ts';
import { redact } from '#lambdas/inference/providers/redact.ts';
import { serialize } from '#lambdas/inference/providers/serialize.ts';
import {
  type ChoiceState,
  createChoiceStates,
  type ExpectedResult,
} from '#lambdas/inference/providers/translation/choice-states.ts';
import {
  placeholderAudio,
  placeholderIdentity,
} from '#lambdas/inference/providers/translation/placeholders.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { createSignatureFields, mediaFields, thoughtSignature } from './message-fields.ts';
import { toOpenAiUsage } from './usage.ts';

const noBytes = Buffer.alloc(0);

export function createCompletionBuilder(
  call: ProviderCall,
  expected: ExpectedResult,
  facts: ReaderFacts,
): CompletionWriter {
  const identity = placeholderIdentity(call);
  const choices = new Map<number, ChoiceBuilder>();
  const states = createChoiceStates(call, expected, facts);
  const generated = (state: ChoiceState, text = '') => {
    facts.started = true;
    facts.textBytes = (facts.textBytes ?? 0) + Buffer.byteLength(text);
    state.addOutput();
  };
  let fields: JsonObject = {};
  let body = noBytes;

  const end = () => {
    if (isOver(facts)) return;
    const built = states.close()?.map(({ index, reason }) => choices.get(index)?.build(reason));
    if (built === undefined) return;
    const { id, created, model } = identity;
    const usage = facts.usage === null ? {} : { usage: toOpenAiUsage(facts.usage) };
    body = Buffer.from(
      serialize({ id, object: 'chat.completion', created, model, choices: built, ...usage, ...fields }),
    );
    facts.responseId = id;
    facts.finished = true;
    facts.ended = true;
  };
  return {
    facts,
    identify({ id, model, created }) {
      identity.id = redact(id || identity.id, call.apiKey);
      identity.model = redact(model || identity.model, call.apiKey);
      identity.created = created || identity.created;
      facts.responseModel = model || facts.responseModel;
    },
    choice(index) {
      const choice =
        choices.get(index) ??
        createChoiceBuilder(states.get(index), {
          call,
          generated,
          finish: (word) => void states.finish(index, word),
        });
      choices.set(index, choice);
      return choice;
    },
    fields(added) {
      fields = { ...fields, ...added };
    },
    billing(billing) {
      Object.assign(facts, billing);
    },
    fail(error) {
      if (!facts.ended) facts.error ??= error;
    },
    ping() {},
    end,
    endWhole() {
      if (isOver(facts)) return;
      states.finishOpen();
      end();
    },
    take() {
      const bytes = body;
      body = noBytes;
      return bytes;
    },
  };
}

interface ChoiceBuilder extends ChoiceSink {
  build(reason: FinishReason): JsonObject;
}

interface ToolCallDraft {
  id: string;
  name: string;
  isCustom: boolean;
  input: string;
  extra: JsonObject;
}

interface ChoiceDraft {
  text: string[];
  reasoning: string[];
  refusal: string[];
  audio: (AudioDelta & { bytes: Buffer[] }) | null;
  toolCalls: ToolCallDraft[];
  extra: JsonObject;
  logprobs: JsonObject | null;
}

interface ChoiceContext {
  call: ProviderCall;
  generated(state: ChoiceState, text?: string): void;
  finish(word: string): void;
}

function createChoiceBuilder(state: ChoiceState, { call, generated, finish }: ChoiceContext): ChoiceBuilder {
  const draft: ChoiceDraft = {
    text: [],
    reasoning: [],
    refusal: [],
    audio: null,
    toolCalls: [],
    extra: {},
    logprobs: null,
  };
  const signatures = createSignatureFields();
  const addText = (texts: string[], note?: (delta: string) => void) => (delta: string) => {
    if (delta === '') return;
    generated(state, delta);
    texts.push(delta);
    note?.(delta);
  };
  const addFields = (fields: JsonObject) => {
    generated(state);
    draft.extra = mergeFields(draft.extra, fields);
  };
  return {
    begin() {},
    text: addText(draft.text, signatures.addText),
    reasoning: addText(draft.reasoning, signatures.addReasoning),
    refusal: addText(draft.refusal),
    audio({ data, transcript = '', ...others }) {
      generated(state, transcript);
      const { bytes, ...known } = draft.audio ?? { ...placeholderAudio(call, state.index), bytes: [] };
      if (data !== undefined) bytes.push(Buffer.from(data, 'base64'));
      draft.audio = { ...known, ...others, transcript: (known.transcript ?? '') + transcript, bytes };
    },
    media: (delta) => addFields(mediaFields(delta)),
    signature(payload) {
      const fields = signatures.fieldsOf(payload);
      if (fields !== null) addFields(fields);
    },
    omit: signatures.addOther,
    stopSequence() {},
    toolCall({ id, name, isCustom = false, payload = null, extra }) {
      generated(state);
      signatures.addOther();
      const toolCall: ToolCallDraft = {
        id: state.addToolCall(id ?? ''),
        name,
        isCustom,
        input: '',
        extra: { ...(payload && thoughtSignature(payload)), ...extra },
      };
      draft.toolCalls.push(toolCall);
      return {
        name(delta) {
          toolCall.name += delta;
        },
        arguments(delta) {
          if (delta !== '') generated(state, delta);
          toolCall.input += delta;
        },
      };
    },
    extra: addFields,
    logprobs(lists) {
      draft.logprobs = mergeFields(draft.logprobs ?? {}, lists);
    },
    finish,
    build: (reason) => buildChoice(state.index, draft, reason),
  };
}

function mergeFields(existing: JsonObject, fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).map(([name, value]) => {
    const list = Object.hasOwn(existing, name) ? existing[name] : undefined;
    return [name, Array.isArray(list) && Array.isArray(value) ? [...list, ...value] : value];
  });
  return { ...existing, ...Object.fromEntries(entries) };
}

function buildChoice(index: number, draft: ChoiceDraft, reason: FinishReason): JsonObject {
  const { toolCalls, audio, extra, logprobs } = draft;
  const [text, reasoning, refusal] = [draft.text, draft.reasoning, draft.refusal].map((deltas) =>
    deltas.join(''),
  );
  return {
    index,
    message: {
      role: 'assistant',
      // Like OpenAI: `null` beside a tool call, a refusal or audio, and otherwise empty.
      content: text || (toolCalls.length > 0 || refusal || audio !== null ? null : ''),
      refusal: refusal || null,
      ...(reasoning && { reasoning_content: reasoning }),
      ...(audio !== null && { audio: joinAudio(audio) }),
      ...(toolCalls.length > 0 && {
        tool_calls: toolCalls.map((toolCall) => buildToolCall(toolCall, reason)),
      }),
      ...extra,
    },
    logprobs,
    finish_reason: reason,
  };
}

function joinAudio({ bytes, ...fields }: NonNullable<ChoiceDraft['audio']>): JsonObject {
  return { ...fields, data: Buffer.concat(bytes).toString('base64') };
}

function buildToolCall(
  { id, name, isCustom, input, extra }: ToolCallDraft,
  reason: FinishReason,
): JsonObject {
  if (isCustom) return { id, type: 'custom', custom: { name, input }, ...extra };
  const text = input.trim() === '' ? defaultArguments(reason) : input;
  return { id, type: 'function', function: { name, arguments: text }, ...extra };
}
