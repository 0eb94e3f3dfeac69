import { startQueueEngine } from '#local/aws/sqs/engine.ts';
import { ensureQueues } from '#local/aws/sqs/queues.ts';

interface EmbeddedQueue {
  endpoint: string;
  url: string;
  stop(): Promise<void>;
}

export async function startEmbeddedQueue(): Promise<EmbeddedQueue> {
  const region = 'us-east-1';
  const { endpoint, stop } = await startQueueEngine({ dataDirectory: undefined, environment: {}, region });
  const url = `${endpoint}/000000000000/Queue`;
  const definition = { name: 'Queue', arn: `arn:aws:sqs:${region}:000000000000:Queue`, url, properties: {} };
  const queues = await ensureQueues({ definitions: [definition], engineEndpoint: endpoint, region });
  return {
    endpoint,
    url,
    async stop() {
      queues.close();
      await stop();
    },
  };
}
