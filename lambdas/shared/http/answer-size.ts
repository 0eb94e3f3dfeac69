/** How long an answer in one piece may be. */

/** A function answers with at most 6 MB: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const highestAnswerBytes = 6_000_000;

/** What the function hands to API Gateway is JSON that holds the body as a text. */
export function answerBytes(answer: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(answer)));
}
