/** Responses to requests with bad parameters. */

export interface Outcome {
  status: number;
  /** The body of an error. */
  text: string;
}

export async function outcomeOf(response: Response): Promise<Outcome> {
  return { status: response.status, text: await response.text() };
}

/** Whether API Gateway has refused the request, before any function. */
export function isThrottled({ status, text }: Outcome): boolean {
  return status === 429 && text.includes('Too many requests: send the request again later');
}

export interface Expectation {
  /** Default: any but a failure of the gateway. */
  status?: number;
  /** The parameters of which a refusal names one; `null` for a refusal for another reason. */
  names: readonly (string | null)[];
}

/** Returns a message for a response that is not as expected. */
export function problemsOf({ status, text }: Outcome, expected: Expectation): string[] {
  const isExpected = expected.status === undefined ? status < 500 : status === expected.status;
  const isNamed = status < 400 || expected.names.some((name) => name === null || namesParameter(text, name));
  return isExpected && isNamed ? [] : [`${status} ${text.slice(0, 200)}`];
}

/** Anthropic's format of errors names it only in the message. */
function namesParameter(text: string, name: string): boolean {
  const { error } = JSON.parse(text) as { error: { param?: string | null; message: string } };
  return error.param == null
    ? error.message.includes(name)
    : error.param === name || error.param.startsWith(`${name}.`);
}
