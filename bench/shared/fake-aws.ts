/** DynamoDB and Secrets Manager for benches: one API key, one credential for each provider, and writes answered at once. */
import { serve } from './bench-process.ts';

const counts: Record<string, number> = {};

const string = (S: string) => ({ S });
const keyRecord = JSON.stringify({
  Item: {
    pk: string('key#bench'),
    sk: string('key'),
    id: string('key_bench00000000000'),
    organization_id: string('org_bench00000000000'),
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
  'DynamoDB_20120810.GetItem': keyRecord,
  'DynamoDB_20120810.PutItem': '{}',
  'secretsmanager.GetSecretValue': secret,
};

serve((request, response) => {
  const action = String(request.headers['x-amz-target']);
  counts[action] = (counts[action] ?? 0) + 1;
  request.resume();
  request.once('end', () => {
    const body = answers[action] ?? '{}';
    response.writeHead(action in answers ? 200 : 400, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': body.length,
    });
    response.end(body);
  });
}, counts);
