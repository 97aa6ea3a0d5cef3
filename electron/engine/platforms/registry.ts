import type { JsonObject } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import type { DestinationPlatform } from '../ports/destination-platform.ts';
import type { SourcePlatform } from '../ports/source-platform.ts';

/** What a platform gets beside its connection. */
export interface PlatformContext {
  readonly endpointId: string;
  /** A folder of this endpoint's own, made on demand, kept between runs. */
  readonly folder: string;
}

/** Makes the platform of one endpoint. The connection has its secrets resolved; keep it in memory only. */
export interface PlatformFactory {
  source?(connection: JsonObject, context: PlatformContext): Promise<SourcePlatform>;
  destination?(connection: JsonObject, context: PlatformContext): Promise<DestinationPlatform>;
}

export type PlatformRegistry = Readonly<Partial<Record<PluginId, PlatformFactory>>>;

/** Every platform that can be reached; a new one is a folder beside this file and a line here. */
export const platforms: PlatformRegistry = {};
