/** A format whose responses are a list of parts in order: the blocks of a message, or the items of a response. */
import type { TokenUsage } from '#lambdas/pricing/usage.ts';
import type { Payload } from '../completion/conversation.ts';
import type { FinishReason } from '../completion/finish-reasons.ts';
import type { SignatureOwner } from '../completion/signatures.ts';

export type NewPart =
  | { kind: 'text' | 'refusal' | 'reasoning' }
  /** Reasoning that the provider withholds. */
  | { kind: 'redacted'; signature: string }
  | { kind: 'call'; id: string; name: string; namespace: string | null };

export interface PartDelta {
  /** The text of the part, the JSON of a call's arguments, or the signature of reasoning. */
  kind: 'text' | 'signature';
  text: string;
}

/** Writes one part. No other part is open at the same time. */
export interface PartWriter {
  open(): void;
  write(delta: PartDelta): void;
  /** `isCutOff` is true for the last part of an output that the provider has cut off. */
  close(isCutOff: boolean): void;
  /** Whether the arguments of the call, which are a JSON object, can be given to its tool. Default: true. */
  hasValidArguments?(): boolean;
}

/** The signature of a part: the data of its provider, or only the mark of whose reasoning it is. */
type SignatureOf = (owner: SignatureOwner, payload: Payload | null) => string;

export interface Ending {
  reason: FinishReason;
  /** The provider's word. */
  word: string;
  hasCalls: boolean;
  /** Whether the model has written a refusal. */
  isRefusal: boolean;
  /** The stop sequence that ended the output, if the provider has named it. */
  stopSequence: string | null;
  usage: TokenUsage;
}

/** Nothing is written after an error. */
export interface OrderedFormat {
  /** Its name with an article, for an error about media: "a message". */
  readonly noun: string;
  /** Whether a refusal is a part of its own, or text. */
  readonly refusalKind: 'refusal' | 'text';
  /** Writes what precedes the parts. */
  start(started: { model: string; usage: TokenUsage }): void;
  begin(part: NewPart): PartWriter;
  signatureOf: SignatureOf;
  /** Writes what follows the parts. */
  end(ending: Ending): void;
  /** The provider is still working. */
  ping(): void;
  /** Returns the bytes for the caller since the last call. */
  take(): Buffer;
}
