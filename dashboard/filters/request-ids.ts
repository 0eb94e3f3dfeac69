/** The ids by which a request can be found. */

interface RequestIds {
  /** The id of the log entry: the gateway's own. */
  logId: string | null;
  /** The `id` in the response. */
  responseId: string | null;
  providerRequestId: string | null;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Such as `chatcmpl-9f2K…`, `resp_68a…` and `msg_01…`. */
const prefixedResponseId = /\b(?:chatcmpl|gen|resp|msg)[-_][\w-]{6,}/;

/** Such as `req_011…`, or any text without spaces that has a digit and is too long for a name. */
const providersId = /^(?:req_[\w-]{6,}|(?=[^\s]*\d)[\w.:-]{16,})$/;

/** Reads the ids in a text, which may be a header, a line of a log or the beginning of a response. */
export function requestIdsIn(text: string): RequestIds {
  const trimmed = text.trim();
  const responseId = prefixedResponseId.exec(trimmed)?.[0] ?? null;
  return {
    logId: uuid.exec(trimmed)?.[0].toLowerCase() ?? null,
    responseId,
    providerRequestId: responseId === null && providersId.test(trimmed) ? trimmed : null,
  };
}

type IdField = 'response_id' | 'provider_request_id';

/** The values of the fields among which an entry is searched. */
export type SearchedIds = { [Field in IdField]?: string };

/** Providers choose the ids of their responses and requests: one of an unknown form can be either. */
export function searchedIds({ responseId, providerRequestId }: RequestIds): SearchedIds {
  if (responseId !== null) return { response_id: responseId };
  if (providerRequestId === null) return {};
  const provider = { provider_request_id: providerRequestId };
  return providerRequestId.startsWith('req_') ? provider : { ...provider, response_id: providerRequestId };
}
