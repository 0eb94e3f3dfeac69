/**
 * Refuses calls that another site may have caused. The session cookie is SameSite=Strict; these checks also hold for
 * other hosts of the same site. Another origin cannot set the header `x-dashboard` without permission (CORS), which the
 * API never gives.
 */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';

/** Throws a `GatewayError` (403) that names the header. */
export function assertSameOrigin({ headers }: HttpRequest, dashboardOrigin: string): void {
  if (headers['x-dashboard'] !== '1') {
    throw forbidden('x-dashboard', 'Calls of the dashboard need the header x-dashboard: 1');
  }
  const { 'sec-fetch-site': site = 'same-origin', origin = dashboardOrigin } = headers;
  if (site !== 'same-origin') throw forbidden('sec-fetch-site', 'Calls from other sites are not allowed');
  if (origin !== dashboardOrigin) throw forbidden('origin', `Calls are only allowed from ${dashboardOrigin}`);
}

function forbidden(param: string, message: string): GatewayError {
  return new GatewayError('forbidden', { param, message });
}
