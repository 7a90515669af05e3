"""The methods that the papers compare with, as transformers: k-means on what they return.

=================  ===================================================  ==============  ==========
class              source                                               pairs it uses   iterative
=================  ===================================================  ==============  ==========
`TraceRatio`       Xiang, Nie and Zhang 2008                            both            yes
`RCA`              Bar-Hillel, Hertz, Shental and Weinshall 2005        must            no
`ERCA`             Yeung and Chang 2006 (our reading)                   both            no
`LLMA`             Chang and Yeung 2006 (our reading)                   must            yes
`KernelBeta`       Yeung and Chang 2007 (our reading)                   must            no
`Baghshah`         Baghshah and Shouraki 2009 (our reading)             both            yes
`MMC`              Xing, Ng, Jordan and Russell 2003                    both            yes
`ITML`             Davis, Kulis, Jain, Sra and Dhillon 2007             both            yes
`YangJin`          Yang and Jin 2006                                    both            yes
`RPCAOM`           Nie, Yuan and Huang 2014                             none            yes
`KernelRPCAOM`     the same on kernel PCA                               none            yes
`FME`              Nie, Xu, Tsang and Zhang 2010                        none            no
`KernelFME`        the same on kernel PCA                               none            no
`SSO`              Jiang, Wang and Tu 2011 (our reading)                none            yes
=================  ===================================================  ==============  ==========

"Our reading" marks those whose text could not be had in full: ``our_reading`` is True on the class,
and ``title()`` says so in a table. LDA-km (Ding and Li 2007) is `umlbook.cpcm.CPCM` with
``predictor="lda-within"``.
"""

from umlbook.rivals._scatter import pair_differences, pair_scatter
from umlbook.rivals.baghshah import Baghshah
from umlbook.rivals.fme import FME, KernelFME
from umlbook.rivals.itml import ITML
from umlbook.rivals.kernel_beta import KernelBeta
from umlbook.rivals.llma import LLMA
from umlbook.rivals.mmc import MMC
from umlbook.rivals.rca import ERCA, RCA
from umlbook.rivals.rpca_om import RPCAOM, KernelRPCAOM
from umlbook.rivals.sso import SSO
from umlbook.rivals.trace_ratio import TraceRatio, trace_ratio, trace_ratio_steps
from umlbook.rivals.yang_jin import YangJin

__all__ = [
    "ERCA",
    "FME",
    "ITML",
    "LLMA",
    "MMC",
    "RCA",
    "RPCAOM",
    "SSO",
    "Baghshah",
    "KernelBeta",
    "KernelFME",
    "KernelRPCAOM",
    "TraceRatio",
    "YangJin",
    "pair_differences",
    "pair_scatter",
    "trace_ratio",
    "trace_ratio_steps",
]
