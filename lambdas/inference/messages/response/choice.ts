/** Writes a choice of a completion as the content of a message. */
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { type ReaderFacts, StatedError } from '#lambdas/inference/completion/facts.ts';
import { type SignatureOwner, writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import type { ProviderCall } from '#lambdas/inference/providers/provider.ts';
import type { ChoiceState } from '#lambdas/inference/providers/translation/choice-states.ts';
import { createContentBlocks } from './blocks.ts';
import type { BlockEvent } from './events.ts';

export interface MessageChoice {
  index: number;
  sink: ChoiceSink;
  /** Ends all blocks. */
  close(): {
    /** The name of a called tool whose input is no JSON object. */
    invalidTool: string | null;
    isRefusal: boolean;
    /** The one that ended the output, if the provider has named it. */
    stopSequence: string | null;
  };
}

interface ChoiceContext {
  call: ProviderCall;
  facts: ReaderFacts;
  write(event: BlockEvent): void;
  begin(): void;
  finish(word: string): void;
}

export function createMessageChoice(
  state: ChoiceState,
  { call, facts, write, begin, finish }: ChoiceContext,
): MessageChoice {
  const { provider } = call;
  const signatureOf = (owner: SignatureOwner, payload: Payload | null) =>
    writeSignature({ provider, owner, payload });
  const blocks = createContentBlocks({ write, ownSignature: () => signatureOf('thinking', null) });
  /**
   * A signature of the text just written, which waits for a block that follows: Claude Code shows nothing of a message whose
   * last block is thinking. Providers do not require the signature of a last text.
   */
  let textSignature: string | null = null;
  let last: 'text' | 'thinking' | 'call' | null = null;
  let isRefusal = false;
  let stopSequence: string | null = null;

  const addOutput = (text: string) => {
    facts.textBytes = (facts.textBytes ?? 0) + Buffer.byteLength(text);
    state.addOutput();
  };
  const add = (kind: 'text' | 'thinking', delta: string) => {
    if (delta === '') return;
    addOutput(delta);
    signText();
    last = kind;
    blocks[kind](delta);
  };
  const signText = (callSignature: string | null = null) => {
    const signatures = `${textSignature ?? ''}${callSignature ?? ''}`;
    if (signatures !== '') blocks.sign(signatures);
    textSignature = null;
  };
  const refuse = (medium: string) => {
    state.addOutput();
    if (!facts.ended) facts.error ??= mediaError(call, medium);
  };
  const sink: ChoiceSink = {
    begin,
    text: (delta) => add('text', delta),
    reasoning: (delta) => add('thinking', delta),
    refusal(delta) {
      isRefusal ||= delta !== '';
      add('text', delta);
    },
    audio: () => refuse('audio'),
    media: ({ mediaType }) => refuse(mediaType),
    signature(payload) {
      if (payload?.format === 'anthropic') writeClaudeSignature(payload);
      else if (payload === null) blocks.end();
      else if (last === 'text') textSignature = signatureOf('text', payload);
      else blocks.sign(signatureOf('thinking', payload));
    },
    omit() {},
    toolCall({ id, name, mayContinueName = false, payload = null }) {
      const callId = state.addToolCall(id ?? '');
      signText(payload === null ? null : signatureOf({ callId }, payload));
      last = 'call';
      const toolCall = blocks.call({ id: callId, name, mayContinueName });
      return {
        name: toolCall.name,
        arguments(delta) {
          if (delta !== '') addOutput(delta);
          toolCall.arguments(delta);
        },
      };
    },
    stopSequence(text) {
      stopSequence = text;
    },
    extra(fields) {
      const medium = mediaFields.find((name) => Object.hasOwn(fields, name));
      if (medium !== undefined) refuse(medium);
    },
    logprobs() {},
    finish,
  };
  const writeClaudeSignature = ({ kind, data }: Payload) => {
    state.addOutput();
    if (kind === 'redacted') blocks.redacted(data);
    else blocks.sign(data);
  };
  return {
    index: state.index,
    sink,
    close: () => ({ invalidTool: blocks.close(), isRefusal, stopSequence }),
  };
}

/** The fields in which servers with OpenAI's format send what a model has generated besides text. */
const mediaFields = ['images', 'videos', 'files'];

function mediaError({ provider }: ProviderCall, medium: string): StatedError {
  return new StatedError('provider_error', {
    message: `The model of the provider ${provider} generated ${medium}, which a message cannot contain: use POST /ai/chat/completions`,
  });
}

const noCall = { name() {}, arguments() {} };

/** Ignores further choices, which the API does not have. */
export const otherChoice: ChoiceSink = {
  begin() {},
  text() {},
  reasoning() {},
  refusal() {},
  audio() {},
  media() {},
  signature() {},
  omit() {},
  toolCall: () => noCall,
  stopSequence() {},
  extra() {},
  logprobs() {},
  finish() {},
};
