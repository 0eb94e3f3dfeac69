/** Writes a choice of a completion as an ordered output. */
import { type ReaderFacts, StatedError } from '../completion/facts.ts';
import type { ChoiceSink } from '../completion/sink.ts';
import type { ProviderCall } from '../providers/provider.ts';
import type { ChoiceState } from '../providers/translation/choice-states.ts';
import type { OrderedFormat } from './format.ts';
import { createOutputParts } from './parts.ts';

export interface OrderedChoice {
  index: number;
  sink: ChoiceSink;
  /** Ends all parts. */
  close(isCutOff: boolean): {
    /** The name of a called tool whose arguments are invalid. */
    invalidTool: string | null;
    isRefusal: boolean;
    /** The one that ended the output, if the provider has named it. */
    stopSequence: string | null;
  };
}

interface ChoiceContext {
  call: ProviderCall;
  facts: ReaderFacts;
  format: Pick<OrderedFormat, 'begin' | 'signatureOf' | 'noun' | 'refusalKind'>;
  begin(): void;
  finish(word: string): void;
}

/** The fields in which servers with OpenAI's format send what a model has generated besides text. */
const mediaFields = ['images', 'videos', 'files'];

export function createOrderedChoice(
  state: ChoiceState,
  { call, facts, format, begin, finish }: ChoiceContext,
): OrderedChoice {
  const { signatureOf, noun, refusalKind } = format;
  const parts = createOutputParts({
    begin: format.begin,
    ownSignature: () => signatureOf('thinking', null),
  });
  /**
   * A signature of the text just written, which waits for a part that follows: Claude Code shows nothing of a message whose
   * last block is thinking. Providers do not require the signature of a last text.
   */
  let textSignature: string | null = null;
  let last: 'text' | 'reasoning' | 'call' | null = null;
  let isRefusal = false;
  let stopSequence: string | null = null;

  const addOutput = (text: string) => {
    facts.textBytes = (facts.textBytes ?? 0) + Buffer.byteLength(text);
    state.addOutput();
  };
  const addText = (kind: 'text' | 'refusal', delta: string) => {
    if (delta === '') return;
    addOutput(delta);
    signText();
    last = 'text';
    parts.text(kind, delta);
  };
  /** Also writes the signature of what follows the text. */
  const signText = (nextSignature: string | null = null) => {
    const signatures = `${textSignature ?? ''}${nextSignature ?? ''}`;
    if (signatures !== '') parts.sign(signatures);
    textSignature = null;
  };
  const refuse = (medium: string) => {
    state.addOutput();
    if (!facts.ended) facts.error ??= mediaError(call, medium, noun);
  };
  const sink: ChoiceSink = {
    begin,
    text: (delta) => addText('text', delta),
    reasoning(delta) {
      if (delta === '') return;
      addOutput(delta);
      signText();
      last = 'reasoning';
      parts.reasoning(delta);
    },
    refusal(delta) {
      isRefusal ||= delta !== '';
      addText(refusalKind, delta);
    },
    audio: () => refuse('audio'),
    media: ({ mediaType }) => refuse(mediaType),
    signature(payload) {
      if (payload === null) return parts.end();
      // A text has no other data, so that this is of reasoning which the provider does not show.
      const isOfText = last === 'text' && payload.kind === 'signature' && payload.format !== 'anthropic';
      const signature = signatureOf(isOfText ? 'text' : 'thinking', payload);
      // Claude may withhold all of its thinking.
      if (payload.format === 'anthropic') state.addOutput();
      if (payload.kind === 'redacted') parts.redacted(signature);
      else if (isOfText) textSignature = signature;
      else signText(signature);
    },
    omit() {},
    toolCall({ id, name, namespace = null, mayContinueName = false, payload = null }) {
      const callId = state.addToolCall(id ?? '');
      signText(payload === null ? null : signatureOf({ callId }, payload));
      last = 'call';
      const toolCall = parts.call({ id: callId, name, namespace, mayContinueName });
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
  return {
    index: state.index,
    sink,
    close: (isCutOff) => ({ invalidTool: parts.close(isCutOff), isRefusal, stopSequence }),
  };
}

function mediaError({ provider }: ProviderCall, medium: string, noun: string): StatedError {
  return new StatedError('provider_error', {
    message: `The model of the provider ${provider} generated ${medium}, which ${noun} cannot contain: use POST /ai/chat/completions`,
    isMessageLogged: true,
  });
}

const noCall = { name() {}, arguments() {} };

/** Ignores further choices, which these formats do not have. */
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
