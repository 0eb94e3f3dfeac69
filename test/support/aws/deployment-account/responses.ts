/** Responses and errors in the protocols of AWS's services. */

export interface ServiceResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

interface ServiceError {
  status?: number;
  code: string;
  message: string;
}

export interface Protocol {
  error(error: ServiceError): ServiceResponse;
}

export function json(body: object, status = 200): ServiceResponse {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(body) };
}

export function xml(body: string, status = 200): ServiceResponse {
  return { status, headers: { 'content-type': 'text/xml' }, body };
}

export const jsonProtocol: Protocol = {
  error: ({ status = 400, code, message }) => ({
    ...json({ __type: code, message }, status),
    headers: { 'content-type': 'application/json', 'x-amzn-errortype': code },
  }),
};

/** The query protocol, and REST with XML. */
export const xmlProtocol: Protocol = {
  error: ({ status = 400, code, message }) =>
    xml(
      `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
      status,
    ),
};

export function members(items: readonly string[]): string {
  return items.map((item) => `<member>${item}</member>`).join('');
}
