import type { Service } from '../../service.js';
import type { Authenticate } from '../authenticate.js';

export interface V1Deps {
  service: Service;
  authenticate: Authenticate;
}
