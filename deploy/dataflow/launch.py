"""What the launcher of a Flex Template runs; everything else is installed."""

import sys

from pipeline.flex import main

sys.exit(main())
