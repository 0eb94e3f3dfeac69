/**
 * DynamoDB and Secrets Manager for benches: one API key, one credential for each provider, and writes answered at once. With
 * `KEYS=any` every key is there, each of an organization of its own, and the entries that are written are looked into.
 */
import { serve } from './bench-process.ts';
import { createEntryCheck, keyHashIn, nameOf } from './entry-check.ts';

const counts: Record<string, number> = {};

const string = (S: string) => ({ S });
const keyRecord = (name: string) =>
  JSON.stringify({
    Item: {
      pk: string('key#bench'),
      sk: string('key'),
      id: string(`key_${name}`),
      organization_id: string(`org_${name}`),
      name: string('bench'),
      last_four: string('0000'),
      created_at: string('2026-01-01T00:00:00.000Z'),
      expires_at: { NULL: true },
      revoked_at: { NULL: true },
      log_shards: { N: '1' },
    },
  });
const secret = JSON.stringify({
  Name: 'providers',
  SecretString: JSON.stringify({ openai: { api_key: 'sk-bench' } }),
});

const answers: Record<string, string> = {
  'DynamoDB_20120810.GetItem': keyRecord('bench00000000000'),
  'DynamoDB_20120810.PutItem': '{}',
  'secretsmanager.GetSecretValue': secret,
};

const checkEntry = process.env.KEYS === 'any' ? createEntryCheck(counts) : null;

serve((request, response) => {
  const action = String(request.headers['x-amz-target']);
  counts[action] = (counts[action] ?? 0) + 1;
  const pieces: Buffer[] = [];
  if (checkEntry === null) request.resume();
  else request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => {
    const body = lookInto(action, pieces) ?? answers[action] ?? '{}';
    response.writeHead(action in answers ? 200 : 400, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': body.length,
    });
    response.end(body);
  });
}, counts);

/** The answer, where it goes by what was asked. */
function lookInto(action: string, pieces: readonly Buffer[]): string | null {
  if (checkEntry === null) return null;
  const asked = Buffer.concat(pieces).toString();
  if (action.endsWith('.GetItem')) return keyRecord(nameOf(keyHashIn(asked)));
  if (action.endsWith('.PutItem')) checkEntry(asked);
  return null;
}
