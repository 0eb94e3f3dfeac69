/** Remembers which stream a shard iterator reads: a GetRecords request names the opaque iterator alone. */
import { isObject, type JsonObject, parseJson } from '../untyped-json.ts';

const maximumRemembered = 10_000;

export function createStreamIterators() {
  const streams = new Map<string, string>();

  function add(iterator: unknown, stream: string): void {
    if (typeof iterator !== 'string') return;
    streams.delete(iterator);
    streams.set(iterator, stream);
    const [oldest] = streams.keys();
    if (streams.size > maximumRemembered && oldest !== undefined) streams.delete(oldest);
  }

  return {
    streamOf: (iterator: string) => streams.get(iterator),
    /** Of a GetShardIterator or GetRecords call: the request's body, and the answer's. */
    remember(requestBody: JsonObject, answerBody: Buffer): void {
      const stream = requestBody.StreamArn ?? streams.get(String(requestBody.ShardIterator));
      const answer = parseJson(answerBody.toString('utf8'));
      if (typeof stream !== 'string' || !isObject(answer)) return;
      add(answer.ShardIterator, stream);
      add(answer.NextShardIterator, stream);
    },
  };
}
