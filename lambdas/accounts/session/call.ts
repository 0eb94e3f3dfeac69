import type { DashboardRequest } from '../http/dashboard-request.ts';
import type { DashboardResponse } from '../http/dashboard-response.ts';
import type { PathParameters } from '../http/router.ts';
import type { ActiveSession } from '../sessions/active-session.ts';
import type { SessionServices } from './services.ts';

/** A call of the page for a signed-in user. */
export interface Call extends DashboardRequest {
  session: ActiveSession;
  parameters: PathParameters;
}

export type PublicHandler = (
  request: DashboardRequest,
  services: SessionServices,
) => Promise<DashboardResponse>;
export type CallHandler = (call: Call, services: SessionServices) => Promise<DashboardResponse>;
