/** The ids of translated responses and their items. Clients join those with the same id, which some servers give to all of theirs. */

const mark = 'gateway';

/** `kind` is OpenAI's prefix for ids of the kind. */
export function gatewayId(kind: 'resp' | 'msg' | 'rs' | 'fc' | 'ctc', requestId: string): string {
  return `${kind}_${mark}_${requestId}`;
}

/** The start of the ids of reasoning. */
export const reasoningIdPrefix = gatewayId('rs', '');
