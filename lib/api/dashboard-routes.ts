/** The routes that the page of the dashboard calls, through its distribution. */

import { Duration } from 'aws-cdk-lib';
import type { Integration, MethodDeploymentOptions, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { rejectAllMethods, rejectOtherMethods } from './rest-errors.ts';

/** Far more than the test request's short response takes, for its function and its route. */
export const testRequestTimeout = Duration.minutes(5);

/** The integrations of the dashboard's functions. */
interface DashboardIntegrations {
  signIn: Integration;
  organizations: Integration;
  analytics: Integration;
  testRequest: Integration;
}

interface DashboardRoute {
  path: string;
  methods: readonly string[];
  target: keyof DashboardIntegrations;
}

const signInMethods = ['GET', 'POST', 'PATCH', 'DELETE'];

const routes: readonly DashboardRoute[] = [
  { path: '/dashboard/api/{proxy+}', methods: signInMethods, target: 'signIn' },
  { path: '/dashboard/api/organizations', methods: ['GET', 'POST'], target: 'organizations' },
  {
    path: '/dashboard/api/organizations/{proxy+}',
    methods: [...signInMethods, 'PUT'],
    target: 'organizations',
  },
  { path: '/dashboard/api/invitations/{proxy+}', methods: ['POST'], target: 'organizations' },
  { path: '/dashboard/api/analytics/{proxy+}', methods: ['GET', 'POST'], target: 'analytics' },
  { path: '/dashboard/api/test-requests', methods: ['POST'], target: 'testRequest' },
  { path: '/dashboard/api/test-requests/{proxy+}', methods: ['POST'], target: 'testRequest' },
];

/** The resources that are only parents of routes. */
const otherPaths = ['/dashboard', '/dashboard/api', '/dashboard/api/invitations', '/dashboard/api/analytics'];

/**
 * Anybody can call these methods, and share the requests and the concurrency of the account with chat. A view makes
 * about five requests, so hundreds of people can work at the same time; at 0.1 seconds each, 50 requests a second need
 * five environments. The burst is for many people who open the dashboard in the same second.
 */
const throttling = { throttlingRateLimit: 50, throttlingBurstLimit: 100 };

/** `defaults` are the options of the stage, which a method with its own options does not inherit. */
export function dashboardMethodOptions(
  defaults: MethodDeploymentOptions,
): Record<string, MethodDeploymentOptions> {
  // Five metrics of a method cost $1.50 in every month in which it is called.
  const options = { ...defaults, ...throttling, metricsEnabled: false };
  const names = routes.flatMap(({ path, methods }) => methods.map((method) => `${path}/${method}`));
  return Object.fromEntries(names.map((name) => [name, options]));
}

export function addDashboardRoutes({ root }: RestApi, integrations: DashboardIntegrations): void {
  for (const { path, methods, target } of routes) {
    const resource = root.resourceForPath(path);
    for (const method of methods) resource.addMethod(method, integrations[target]);
    rejectOtherMethods(resource, methods);
  }
  for (const path of otherPaths) rejectAllMethods(root.resourceForPath(path));
}
