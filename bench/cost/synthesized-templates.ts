import type { GatewayConfig } from '#lib/settings/settings.ts';
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';
import type { Template } from './deployment.ts';
import type { MonitoringTemplates } from './monitoring.ts';

export function synthesizeTemplates(): MonitoringTemplates {
  return {
    off: synthesizeTemplate({ monitoring: 'off' }),
    alarms: synthesizeTemplate({}),
    all: synthesizeTemplate({ monitoring: 'all' }),
    canary: synthesizeTemplate({ canary: {} }),
  };
}

export function synthesizeTemplate(config: GatewayConfig): Template {
  return synthesizeGateway(config).template.toJSON() as Template;
}
