/**
 * An attempt of a request to a route, as the exchange sees it: while another target can take over, events without content are held
 * back. `routing/` implements it.
 */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { ReaderFacts } from '../completion/facts.ts';
import type { DeadlineWatch } from '../providers/http/deadlines.ts';

/** A response, as far as it has been read. */
export interface ReadContent {
  facts: Pick<ReaderFacts, 'finishReason' | 'textBytes'>;
  /** The size of the text in UTF-8, for a reader that does not count it. */
  textBytes: number;
  /** The size of the body, or of the events that are held back. */
  size: number;
}

export interface Fallback {
  /** Called before each call of the provider. */
  onCall(watch: DeadlineWatch): void;
  /** Called with the events of a stream that has started. Returns those that are sent now, `null` for none. */
  hold(events: Buffer, read: Omit<ReadContent, 'size'>): Buffer | null;
  /** Returns the events that are held back, which are sent if no other target takes over. */
  release(): Buffer;
  /**
   * Call this once when the attempt has ended before any content was sent to the caller. Resolves to the failure after which
   * another target takes over, so that nothing is sent; to `null` if none does. `read` is `null` for a failed response, and
   * for an operation whose responses have no text. `status` is that of a failed response.
   */
  takeOver(
    error: GatewayError | null,
    read: ReadContent | null,
    status?: number | null,
  ): Promise<GatewayError | null>;
}
