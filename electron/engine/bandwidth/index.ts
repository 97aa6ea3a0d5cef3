export { createBandwidthLimiter, type BandwidthLimiter, type BandwidthSettings } from './limiter.ts';
export {
  formatRate,
  parseProfile,
  parseRate,
  rateAt,
  type BandwidthProfile,
} from '../../../shared/model/bandwidth-profile.ts';
