/** The ports of the gateway: the REST API, the function URL of the chat function, the dashboard and its sign-in. */
import type { RunContext } from '../run-context.ts';
import { type HttpListener, openHttpListener, openLocalhostListener } from './http-listener.ts';

export interface Endpoints {
  restApi: HttpListener;
  functionUrl: HttpListener;
  dashboard: HttpListener;
  /** At `localhost`: another site than the dashboard's, as on AWS, and browsers refuse passkeys at an IP address. */
  signIn: HttpListener;
  /** Frees the ports of a template without a dashboard. */
  closeDashboard(): Promise<void>;
  close(): Promise<void>;
}

/** Binds the ports, from `port` on. Requests get 503 until `serveRequests`. */
export async function openEndpoints({
  port,
  resources,
}: Pick<RunContext, 'port' | 'resources'>): Promise<Endpoints> {
  const open = async (offset: number, openListener = openHttpListener) => {
    const listener = await openListener(port === 0 ? 0 : port + offset);
    resources.defer(listener.close);
    return listener;
  };
  const restApi = await open(0);
  const functionUrl = await open(1);
  const dashboard = await open(2);
  const signIn = await open(3, openLocalhostListener);
  const closeDashboard = async () => {
    await Promise.all([dashboard.close(), signIn.close()]);
  };
  const close = async () => {
    await Promise.all([restApi.close(), functionUrl.close(), closeDashboard()]);
  };
  return { restApi, functionUrl, dashboard, signIn, closeDashboard, close };
}
