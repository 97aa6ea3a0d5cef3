// needs: python3
import { transportConformance } from '../conformance/transport.ts';

transportConformance('HTTPS');
transportConformance('SSH');
